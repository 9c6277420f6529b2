case b.lifetime when -1 then 'infinity' else now() + make_interval(secs => {seconds}) end
