-- depends: 0067.notifications

-- Messages are bounded for each severity by itself, so that a storm of lesser events hides no outage.
alter table notification_window add column severity text not null default 'info'
  check (severity in ('info', 'warning', 'critical'));
alter table notification_window drop constraint notification_window_pkey, add primary key (notification_no, severity);
