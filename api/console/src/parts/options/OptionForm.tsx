// Makes or changes an option: its value is typed in the form that fits its kind, or as octets.
import { useState } from "react";
import { Checkbox } from "react-aria-components";
import { type Call, call } from "../../api/calls.ts";
import { type Form, formFor, formOf, payloadOf, typedPayload } from "../../pure/optionValues.ts";
import { text } from "../../text/options.ts";
import { ActionForm, type ErrorAt } from "../form/ActionForm.tsx";
import { Choice } from "../form/Choice.tsx";
import { Entry } from "../form/Entry.tsx";
import { creationAt, type Option, type Scope } from "./scope.ts";
import { useOptionKinds } from "./useOptionKinds.ts";

type Props = {
  scope: Scope;
  family: 4 | 6;
  stored: { option: Option; etag: string | null } | null;
  onDone: () => void;
};
type State = {
  code: string;
  form: Form | null;
  value: string;
  vendor: string;
  always: boolean;
  never: boolean;
};
const OTHER = "";
const LABELS = {
  code: text.columns.code,
  payload: text.columns.value,
  vendor_class: text.columns.vendor,
  always_send: text.columns.always,
  never_send: text.columns.never,
};

export function OptionForm({ scope, family, stored, onDone }: Props) {
  const kinds = useOptionKinds(family);
  const [base, setBase] = useState(stored);
  const [state, setState] = useState(() => stateOf(base?.option ?? null));
  const set = (changed: Partial<State>) => setState((now) => ({ ...now, ...changed }));
  const usual = formOf(kinds.find(({ code }) => String(code) === state.code));
  const form = state.form ?? (base ? formFor(base.option.payload, usual) : usual);
  const typed = state.value;
  const body = {
    code: Number(state.code),
    payload: payloadOf(form, typed),
    vendor_class: state.vendor || null,
    always_send: state.always,
    never_send: state.never,
  };
  return (
    <ActionForm
      call={base ? change(base, body) : creationAt(scope, { ...body, family })}
      action={base ? text.save : text.create}
      onDone={onDone}
      onCancel={onDone}
      disabled={state.code === ""}
      labels={LABELS}
      {...(base ? { read: readOf(base.option.id) } : {})}
      onTheirs={(theirs, etag) => {
        setBase({ option: theirs as Option, etag });
        setState(stateOf(theirs as Option));
      }}
    >
      {(errorAt) => (
        <>
          <CodeFields
            kinds={kinds}
            code={state.code}
            onChange={(code) => set({ code, form: null })}
            errorAt={errorAt}
          />
          <Value form={form} value={typed} onChange={(value) => set({ value })} error={errorAt("payload")} />
          {usual !== "hex" && (
            <Checkbox
              className="check"
              isSelected={form === "hex"}
              onChange={(hex) => set({ form: hex ? "hex" : usual })}
            >
              {text.asHex}
            </Checkbox>
          )}
          <Entry
            label={text.columns.vendor}
            hint={text.vendorHint}
            value={state.vendor}
            onChange={(vendor) => set({ vendor })}
            error={errorAt("vendor_class")}
          />
          <Checkbox className="check" isSelected={state.always} onChange={(always) => set({ always })}>
            {text.always}
          </Checkbox>
          <Checkbox className="check" isSelected={state.never} onChange={(never) => set({ never })}>
            {text.never}
          </Checkbox>
        </>
      )}
    </ActionForm>
  );
}

function stateOf(option: Option | null): State {
  if (option === null) return { code: "", form: null, value: "", vendor: "", always: false, never: false };
  const { code, payload, vendor_class, always_send, never_send } = option;
  // Which form the value was typed in shows in the value itself.
  const [name = "hex"] = Object.keys(payload);
  const form = (name in text.forms ? name : "json") as Form;
  return {
    code: String(code),
    form,
    value: typedPayload(form, payload),
    vendor: vendor_class ?? "",
    always: always_send,
    never: never_send,
  };
}

function readOf(id: string) {
  return call("get", "/api/v1/options/{id}", { params: { path: { id } } });
}

function change({ option, etag }: NonNullable<Props["stored"]>, body: object): Call<unknown> {
  const header = etag === null ? {} : { "If-Match": etag };
  return call("patch", "/api/v1/options/{id}", {
    params: { path: { id: option.id }, header },
    body: body as never,
  });
}

type CodeProps = {
  kinds: ReturnType<typeof useOptionKinds>;
  code: string;
  onChange: (code: string) => void;
  errorAt: ErrorAt;
};

function CodeFields({ kinds, code, onChange, errorAt }: CodeProps) {
  const known = kinds.some((kind) => String(kind.code) === code);
  const options = kinds.map((kind) => ({ id: String(kind.code), title: text.named(kind.code, kind.name) }));
  return (
    <>
      <Choice
        label={text.option}
        value={known ? code : OTHER}
        options={[{ id: OTHER, title: text.other }, ...options]}
        onChange={onChange}
        error={known ? errorAt("code") : undefined}
      />
      {!known && (
        <Entry label={text.code} type="number" value={code} onChange={onChange} error={errorAt("code")} />
      )}
    </>
  );
}

type ValueProps = { form: Form; value: string; onChange: (value: string) => void; error: string | undefined };
const LINES: ReadonlySet<Form> = new Set(["addresses", "names", "strings", "values", "routes", "json"]);

function Value({ form, value, onChange, error }: ValueProps) {
  const label = text.forms[form];
  if (form === "flag") {
    const options = [
      { id: "true", title: text.on },
      { id: "false", title: text.off },
    ];
    return (
      <Choice
        label={label}
        value={value === "false" ? "false" : "true"}
        options={options}
        onChange={onChange}
        error={error}
      />
    );
  }
  const rows = form === "json" ? 8 : 3;
  return (
    <Entry
      label={label}
      value={value}
      onChange={onChange}
      error={error}
      autoComplete="off"
      {...(LINES.has(form) ? { rows } : {})}
    />
  );
}
