-- depends: 0064.client_options 0065.secondary_states 0069.notification_windows
-- phase: post

-- lease_by_client_key and lease_by_other_hardware find what it found. The version before searches by it.
drop index lease_by_hw_address;
