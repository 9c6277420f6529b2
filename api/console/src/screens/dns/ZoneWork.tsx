// What is done with a zone as a whole: a zone file taken in, its records compared with its server.
import { useState } from "react";
import { Button, Checkbox } from "react-aria-components";
import { call } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import { ActionForm } from "../../parts/form/ActionForm.tsx";
import { Choice } from "../../parts/form/Choice.tsx";
import { Entry } from "../../parts/form/Entry.tsx";
import { text as shared } from "../../text/frame.ts";
import { Remarks } from "./Remarks.tsx";
import { text } from "./text.ts";

type Schemas = components["schemas"];
type Props = { zone: string; onClose: () => void };
const MODES = Object.entries(text.modes).map(([id, title]) => ({ id, title }));

export function TakeFile({ zone, onClose }: Props) {
  const [zone_file, setFile] = useState("");
  const [mode, setMode] = useState<"merge" | "replace">("merge");
  const [dry_run, setDryRun] = useState(true);
  const [found, setFound] = useState<Schemas["ZoneImported"]>();
  const params = { path: { id: zone } };
  const body = { zone_file, mode, dry_run };
  return (
    <div className="stack">
      <ActionForm
        call={call("post", "/api/v1/dns-zones/{id}/import", { params, body })}
        action={text.in}
        onDone={setFound}
        onCancel={onClose}
      >
        {(errorAt) => (
          <>
            <Entry
              label={text.file}
              value={zone_file}
              onChange={setFile}
              rows={10}
              error={errorAt("zone_file")}
            />
            <Choice
              label={text.mode}
              options={MODES}
              value={mode}
              onChange={(chosen) => setMode(chosen as typeof mode)}
            />
            <Checkbox className="check" isSelected={dry_run} onChange={setDryRun}>
              {text.tryFirst}
            </Checkbox>
          </>
        )}
      </ActionForm>
      {found && (
        <>
          <p role="status" className="notice">
            {text.imported(found.created, found.deleted, found.updated, found.unchanged)}
            {found.dry_run && ` ${text.nothingDone}`}
          </p>
          <Remarks title={text.skipped} remarks={found.skipped} />
          <Remarks title={text.warnings} remarks={found.warnings} />
        </>
      )}
    </div>
  );
}

export function Reconcile({ zone, onClose }: Props) {
  const [dry_run, setDryRun] = useState(true);
  const [found, setFound] = useState<Schemas["ZoneReconciled"]>();
  const params = { path: { id: zone } };
  if (found) {
    return (
      <div className="stack">
        <p role="status" className="notice">
          {text.reconciled(found.in_order, found.missing.length, found.wrong.length, found.stale.length)}{" "}
          {found.dry_run ? text.nothingDone : text.repairs(found.repairs)}
        </p>
        <div className="row">
          <Button onPress={onClose}>{shared.close}</Button>
        </div>
      </div>
    );
  }
  return (
    <ActionForm
      call={call("post", "/api/v1/dns-zones/{id}/reconcile", { params, body: { dry_run } })}
      action={text.reconcile}
      onDone={setFound}
      onCancel={onClose}
    >
      {() => (
        <>
          <p>{text.reconcileExplain}</p>
          <Checkbox className="check" isSelected={dry_run} onChange={setDryRun}>
            {text.tryFirst}
          </Checkbox>
        </>
      )}
    </ActionForm>
  );
}
