import { call } from "../../api/calls.ts";
import { Drawer } from "../../parts/Drawer.tsx";
import { CreateForm } from "../../parts/fields/CreateForm.tsx";
import { useTenant } from "../../parts/useSession.ts";
import { prefixFields } from "./fields.ts";
import { text } from "./text.ts";

export function NewPrefix({ onClose }: { onClose: () => void }) {
  const tenant = useTenant();
  return (
    <Drawer title={text.newPrefix} onClose={onClose}>
      <CreateForm
        fields={prefixFields}
        more={tenant}
        callOf={(body) => call("post", "/api/v1/prefixes", { body: body as never })}
        action={text.create}
        onDone={onClose}
        onCancel={onClose}
      />
    </Drawer>
  );
}
