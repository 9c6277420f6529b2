l.state = 'a' and l.client_key = excluded.client_key and l.client_id is not distinct from excluded.client_id
