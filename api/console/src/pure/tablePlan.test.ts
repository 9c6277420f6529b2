import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Plan, readPlan } from "./plan.ts";
import { parseNetwork } from "./space.ts";
import { type Columns, chosen, guessed } from "./tableColumns.ts";
import { planOf, tableOf, type Words } from "./tablePlan.ts";

const SOURCES = join(import.meta.dirname, "../../../../tests/importers/sources");
const WORDS: Words = {
  noNetwork: "no network",
  noKind: (said) => `no kind ${said}`,
  nothing: "nothing",
  options: "options",
  noCidr: (said) => `no cidr ${said}`,
  twice: (line) => `as in ${line}`,
  takenFrom: (network, line) => `${network} of ${line}`,
  ofServer: (network) => `${network} of the server`,
  noAliases: (names) => `no aliases ${names}`,
  unread: "unread",
  column: (name, rows) => `${name} ${rows}`,
};

function read(text: string, networks = "", columns?: (guess: Columns) => Columns): Plan {
  const table = tableOf(text);
  assert.ok(table);
  const guess = guessed(table.names);
  return planOf(table, columns ? columns(guess) : guess, networks, WORDS);
}

function of(plan: Plan, family: string) {
  return plan.objects.filter((each) => each.family === family).map(({ fields }) => fields);
}

test("scopes of PowerShell are subnets with pools", () => {
  const plan = read(
    '#TYPE x\n"ScopeId","SubnetMask","Name","StartRange","EndRange","LeaseDuration"\n' +
      '"192.0.2.0","255.255.255.0","office","192.0.2.10","192.0.2.99","8.00:00:00"\n',
  );
  assert.deepEqual(of(plan, "prefixes"), [{ cidr: "192.0.2.0/24" }]);
  assert.deepEqual(of(plan, "subnets"), [{ cidr: "192.0.2.0/24", lease_time_seconds: 691_200 }]);
  assert.deepEqual(of(plan, "pools"), [{ start_ip: "192.0.2.10", end_ip: "192.0.2.99", name: "office" }]);
  assert.deepEqual(plan.statements, { read: 1, warned: 0 });
});

test("clients are told apart by what they are known by, in the network that holds them", () => {
  const plan = read(
    "IP;MAC;Client ID;DUID;Name;Comment\n192.0.2.9;02-00-00-00-00-09;;;printer;by the door\n" +
      "192.0.2.8;;02-00-00-00-00-08;;the server;rack\n192.0.2.7;;01-02-00-00-00-00-07;;;\n" +
      "2001:db8::9;;;000300010200;;\n192.0.2.6;;;;www.example.net;static\n",
    "192.0.2.0/24, 192.0.0.0/16 2001:db8::/64",
  );
  assert.deepEqual(of(plan, "reservations"), [
    { ip: "192.0.2.9", mac: "02-00-00-00-00-09", hostname: "printer", description: "by the door" },
    { ip: "192.0.2.8", mac: "02:00:00:00:00:08", description: "the server: rack" },
    { ip: "192.0.2.7", client_id: "01:02:00:00:00:00:07" },
    { ip: "2001:db8::9", duid: "000300010200" },
  ]);
  assert.deepEqual(of(plan, "assignments"), [
    { ip: "192.0.2.6", hostname: "www.example.net", description: "static" },
  ]);
  const subnet = plan.objects.find(
    ({ family, fields }) => family === "subnets" && fields.cidr === "192.0.2.0/24",
  );
  const assignment = plan.objects.find(({ family }) => family === "assignments");
  assert.equal(assignment?.inside, subnet?.ref);
});

test("aliases are names in one cell", () => {
  const plan = read(
    'ip,mac,name,aliases\n192.0.2.9,02:00:00:00:00:09,printer,"LP, lp2.example.net printer"\n' +
      '192.0.2.10,,srv,"www; a_b;x,-y"\n192.0.2.11,02:00:00:00:00:11,,nameless\n',
    "192.0.2.0/24",
  );
  const hosts = [...of(plan, "reservations"), ...of(plan, "assignments")];
  assert.deepEqual(
    hosts.map(({ aliases }) => aliases),
    [["lp", "lp2.example.net"], undefined, ["www", "a_b", "x"]],
  );
  assert.deepEqual(
    plan.warnings.map(({ line, why }) => `${line} ${why}`),
    ["3 no aliases -y", "4 no aliases nameless"],
  );
});

test("a row in no network of the table is in the subnet of the server", () => {
  const table = tableOf(
    "ip,mac,network,gateway\n192.0.2.9,020000000009,,192.0.2.1\n192.0.2.8,020000000008,,\n" +
      "192.0.2.130,020000000010,192.0.2.128/25,\n198.51.100.1,020000000011,,\n",
  );
  assert.ok(table);
  const there = ["192.0.2.0/24", "2001:db8::/64"]
    .map((cidr) => parseNetwork(cidr))
    .filter((each) => each !== null);
  const plan = planOf(table, guessed(table.names), "", WORDS, there);
  assert.deepEqual(of(plan, "subnets"), [{ cidr: "192.0.2.128/25" }, { cidr: "192.0.2.0/24" }]);
  const inside = plan.objects
    .filter(({ family }) => family === "reservations")
    .map(({ inside }) => plan.objects.find(({ ref }) => ref === inside)?.fields.cidr);
  assert.deepEqual(inside, ["192.0.2.0/24", "192.0.2.0/24", "192.0.2.128/25"]);
  assert.deepEqual(
    plan.warnings.map(({ line, why }) => `${line} ${why}`),
    ["2 192.0.2.0/24 of the server", "5 no network"],
  );
});

test("columns are as somebody says", () => {
  const plan = read("Where,Who\n192.0.2.9,02:00:00:00:00:09\n", "192.0.2.0/24", (guess) =>
    chosen(chosen(guess, "ip", 0), "mac", 1),
  );
  assert.deepEqual(of(plan, "reservations"), [{ ip: "192.0.2.9", mac: "02:00:00:00:00:09" }]);
});

test("what is not taken over is told with its line", () => {
  const plan = read(
    "kind,ip,mac,network,start,gateway,owner\n,10.0.0.1,020000000001,,,,\n,192.0.2.1,,,,,me\n" +
      "lease,192.0.2.2,,,,,you\noption,,,192.0.2.0,,,\nsubnet,,,192.0.2.0/24,,192.0.2.1,\n" +
      "subnet,,,192.0.2.0/24,,,\nsubnet,,,192.0.2.9/24,,,\npool,,,,192.0.2.5,192.0.2.2,\n",
  );
  assert.deepEqual(
    plan.warnings.map(({ line, reason, what, why }) => `${line} ${reason} ${what}: ${why}`),
    [
      "2 dropped reservation 10.0.0.1: no network",
      "3 dropped row 192.0.2.1: nothing",
      "3 dropped owner 2: unread",
      "4 dropped row 192.0.2.2: no kind lease",
      "5 manual option 192.0.2.0: options",
      "7 dropped subnet 192.0.2.0/24: as in 6",
      "8 dropped subnet 192.0.2.9/24: no cidr 192.0.2.9/24",
      "9 dropped gateway 192.0.2.2: 192.0.2.0/24 of 6",
    ],
  );
  assert.deepEqual(plan.statements, { read: 2, warned: 6 });
});

test("the table of the importer's own tests gives the same networks, pools and assignments", () => {
  const read_ = readPlan(readFileSync(join(SOURCES, "table.plan.json"), "utf8"));
  assert.ok("plan" in read_);
  const plan = read(readFileSync(join(SOURCES, "table.csv"), "utf8"), "", (guess) => chosen(guess, "mac", 2));
  const cidrs = (each: Plan) => of(each, "subnets").map(({ cidr }) => cidr);
  assert.deepEqual(cidrs(plan), cidrs(read_.plan));
  assert.deepEqual(of(plan, "prefixes"), of(read_.plan, "prefixes"));
  assert.deepEqual(of(plan, "pools"), of(read_.plan, "pools"));
  assert.deepEqual(of(plan, "subnets")[0], of(read_.plan, "subnets")[0]);
  assert.deepEqual(
    of(plan, "reservations").filter(({ ip }) => ip === "192.0.2.26"),
    of(read_.plan, "reservations").filter(({ ip }) => ip === "192.0.2.26"),
  );
});

test("a table without a row is none", () => {
  assert.equal(tableOf(""), null);
  assert.equal(tableOf("#TYPE x\n\n"), null);
  assert.equal(tableOf("\nsep=;\nip;mac\n")?.line, 3);
});
