"""`python -P -m api.cli`: how `ipam up` starts its parts, whatever folder is the current one."""

from api.cli import main

main(prog_name="ipam")
