ddns_update.state = 'applied' and ddns_update.action = 'add' and ddns_update.forward_zone is null
  and ddns_update.reverse_zone is not null
