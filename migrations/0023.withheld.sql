-- depends: 0022.conditions

-- An option that is withheld here, although a wider scope has it or the server would say it by itself.
alter table dhcp_option
  add column never_send boolean not null default false,
  add constraint dhcp_option_sent_or_withheld check (not (always_send and never_send));
