"""What a supervisor tells a worker that does not keep up (dhcp_fast/workers/channel.py)."""

import asyncio
import socket

from dhcp_fast.workers.channel import BEGIN, END, MOST_WAITING, PIECE, Window, frame, frames, open_line

WINDOW = Window("history", 0, 1, 2, 0, 0, 0)
PART = frame(PIECE, bytes(1 << 20))


async def test_a_worker_that_does_not_keep_up_is_left_to_read_for_itself() -> None:
    """Of a reading that is larger than what may wait it hears the beginning and no end; of the next one all."""
    ours, theirs = socket.socketpair()
    line = await open_line(ours, lambda _state: None)
    line.begin(WINDOW)
    for _ in range(4 * MOST_WAITING // len(PART)):
        line.piece(PART)
    line.end(1)
    assert line.transport is not None
    assert line.transport.get_write_buffer_size() <= MOST_WAITING + len(PART)

    reader, writer = await asyncio.open_connection(sock=theirs)
    said = frames(reader)
    found = [(await anext(said))[0]]
    async with asyncio.timeout(10):
        while line.transport.get_write_buffer_size():
            found.append((await anext(said))[0])
        line.begin(WINDOW)
        line.piece(PART)
        line.end(2)
        while found[-1] != END:
            found.append((await anext(said))[0])
    first = found.index(BEGIN, 1)
    assert found[0] == BEGIN
    assert set(found[1:first]) == {PIECE}
    assert found[first:] == [BEGIN, PIECE, END]
    writer.close()
    line.close()
