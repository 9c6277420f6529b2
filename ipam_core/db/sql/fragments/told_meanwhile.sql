case when l.renewed_at >= now() and l.renewed_at <= clock_timestamp() then l.{column} end
