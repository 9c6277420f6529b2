import assert from "node:assert/strict";
import { test } from "node:test";
import { EventReader } from "./eventReader.ts";

const STREAM =
  'retry: 2500\n\nid: a1\nevent: lease.granted\ndata: {"ip":"10.0.0.1"}\n\n: \nid: a2\n\nid: a3\nevent: lease.released\ndata: {"ip":\ndata: "10.0.0.2"}\n\n';
const EVENTS = [
  { type: "lease.granted", data: '{"ip":"10.0.0.1"}' },
  { type: "lease.released", data: '{"ip":\n"10.0.0.2"}' },
];

test("a whole stream", () => {
  const reader = new EventReader();
  assert.deepEqual(reader.read(STREAM), EVENTS);
  assert.equal(reader.lastId, "a3");
  assert.equal(reader.retryMs, 2500);
});

test("wherever it is cut, and whatever ends its lines", () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const stream = STREAM.replaceAll("\n", end);
    for (let cut = 0; cut <= stream.length; cut += 1) {
      const reader = new EventReader();
      const found = [
        ...reader.read(stream.slice(0, cut)),
        ...reader.read(stream.slice(cut)),
        ...reader.read(":"),
      ];
      assert.deepEqual(found, EVENTS, `${JSON.stringify(end)} at ${cut}`);
      assert.equal(reader.lastId, "a3");
    }
  }
});

test("one character at a time", () => {
  const reader = new EventReader();
  assert.deepEqual(
    [...STREAM].flatMap((character) => reader.read(character)),
    EVENTS,
  );
});

test("a sign of life moves the place, and an event that is not complete does not", () => {
  const reader = new EventReader("before");
  assert.equal(reader.lastId, "before");
  assert.deepEqual(reader.read("id: half\nevent: lease.granted\ndata: {}\n"), []);
  assert.equal(reader.lastId, "before");
  assert.deepEqual(reader.read("\n: \nid: beat\n\n"), [{ type: "lease.granted", data: "{}" }]);
  assert.equal(reader.lastId, "beat");
});

test("what the format does not know is left out", () => {
  const reader = new EventReader();
  assert.deepEqual(reader.read("id: a\0b\nretry: soon\nother: x\ndata\ndata:  two\n\n"), [
    { type: "message", data: "\n two" },
  ]);
  assert.equal(reader.lastId, "");
  assert.equal(reader.retryMs, null);
});
