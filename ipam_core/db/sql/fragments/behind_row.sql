least(greatest(l.renewed_at, l.ended_at) + interval '1 microsecond', clock_timestamp() + interval '5 seconds')
