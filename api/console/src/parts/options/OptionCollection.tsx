// The options that are stored at a scope, or of all scopes.
import { useMemo } from "react";
import { call } from "../../api/calls.ts";
import { optionTable } from "../../pure/optionTable.ts";
import { payloadText } from "../../pure/optionValues.ts";
import { text } from "../../text/options.ts";
import { Collection } from "../collection/Collection.tsx";
import type { Family } from "../collection/family.ts";
import type { Column } from "../table/columns.ts";
import { OptionForm } from "./OptionForm.tsx";
import { listOf, type Option, type Scope, scopeOf } from "./scope.ts";

// `everywhere`: the list is of all scopes; what is made is stored at `scope` all the same.
type Props = { scope: Scope; family: 4 | 6; everywhere?: Record<string, string> };

export function OptionCollection({ scope, family, everywhere }: Props) {
  const told = useMemo(() => familyOf(scope, family, everywhere), [scope, family, everywhere]);
  return <Collection family={told} />;
}

function nameOf({ family, code }: Option): string {
  return optionTable[family === 6 ? 6 : 4].find((kind) => kind.code === code)?.name ?? "";
}

const columns: readonly Column<Option>[] = [
  { id: "code", title: text.columns.code, cell: ({ code }) => code, width: "4rem" },
  { id: "name", title: text.columns.name, cell: nameOf },
  {
    id: "payload",
    title: text.columns.value,
    cell: ({ payload }) => payloadText(payload),
    width: "minmax(10rem, 2fr)",
  },
  { id: "family", title: text.columns.family, cell: ({ family }) => `DHCPv${family}`, width: "6rem" },
  { id: "scope", title: text.columns.scope, cell: (option) => text.scopes[scopeOf(option)], width: "8rem" },
  {
    id: "vendor_class",
    title: text.columns.vendor,
    cell: ({ vendor_class }) => vendor_class,
    optional: true,
  },
  {
    id: "always_send",
    title: text.columns.always,
    cell: ({ always_send }) => always_send && text.yes,
    width: "7rem",
  },
  {
    id: "never_send",
    title: text.columns.never,
    cell: ({ never_send }) => never_send && text.yes,
    width: "6rem",
  },
];

function familyOf(scope: Scope, family: 4 | 6, everywhere?: Record<string, string>): Family<Option> {
  return {
    name: "options",
    title: text.title,
    path: "/options",
    columns,
    titleOf: (option) => text.named(option.code, nameOf(option)),
    list: everywhere
      ? call("get", "/api/v1/options", { params: { query: everywhere as never } })
      : listOf(scope),
    read: (id) => call("get", "/api/v1/options/{id}", { params: { path: { id } } }),
    remove: (id) => call("delete", "/api/v1/options/{id}", { params: { path: { id } } }),
    fields: [],
    form: (stored, onDone) => (
      <OptionForm
        scope={scope}
        family={stored ? (stored.object.family === 6 ? 6 : 4) : family}
        stored={stored ? { option: stored.object, etag: stored.etag } : null}
        onDone={onDone}
      />
    ),
  };
}
