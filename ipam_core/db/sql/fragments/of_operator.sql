{record}.source not in ('lease', 'assignment', 'reservation')
