import assert from "node:assert/strict";
import { test } from "node:test";
import { formFor, formOf, type Payload, payloadOf, payloadText, typedPayload } from "./optionValues.ts";

const cases: [kind: string, array: boolean, payload: Payload, typed: string][] = [
  ["address", true, { addresses: ["10.0.0.1", "10.0.0.2"] }, "10.0.0.1\n10.0.0.2"],
  ["name", true, { names: ["example.net"] }, "example.net"],
  ["strings", false, { strings: ["a", "b"] }, "a\nb"],
  ["ascii", false, { string: "host, the first" }, "host, the first"],
  ["uint16", false, { value: 1500 }, "1500"],
  ["uint8", true, { values: [1, 2] }, "1\n2"],
  ["flag", false, { flag: false }, "false"],
  ["routes", false, { routes: [{ destination: "10.0.0.0/8", router: "10.0.0.1" }] }, "10.0.0.0/8 10.0.0.1"],
  ["binary", false, { hex: "01ab" }, "01ab"],
  [
    "suboptions",
    false,
    { suboptions: [{ code: 1, hex: "01" }] },
    '{\n  "suboptions": [\n    {\n      "code": 1,\n      "hex": "01"\n    }\n  ]\n}',
  ],
];

for (const [kind, array, payload, typed] of cases) {
  test(`a value of ${kind} is typed and read back`, () => {
    const form = formOf({ kind, array });
    assert.equal(typedPayload(form, payload), typed);
    assert.deepEqual(payloadOf(form, typed), payload);
  });
}

test("what was stored as octets is typed as octets, whatever the kind", () => {
  assert.equal(formFor({ hex: "0a000001" }, "addresses"), "hex");
  assert.equal(formFor({ addresses: ["10.0.0.1"] }, "addresses"), "addresses");
  assert.equal(formFor({ names: ["a.example"] }, "addresses"), "json");
  assert.deepEqual(payloadOf("hex", "01:ab 02"), { hex: "01ab02" });
});

test("what does not fit is left for the API to refuse", () => {
  assert.deepEqual(payloadOf("value", "many"), { value: "many" });
  assert.deepEqual(payloadOf("json", "{"), { value: "{" });
});

test("a payload in a line", () => {
  assert.equal(payloadText({ addresses: ["10.0.0.1", "10.0.0.2"] }), "10.0.0.1, 10.0.0.2");
  assert.equal(payloadText({ flag: true }), "true");
  assert.equal(payloadText({ suboptions: [] }), '{"suboptions":[]}');
});
