// Client classes: their members, the settings that they change, and the values of clients for
// templates.
import { useMemo } from "react";
import { Collection } from "../../parts/collection/Collection.tsx";
import { useTenant } from "../../parts/useSession.ts";
import { classesOf } from "./family.tsx";
import { text } from "./text.ts";

export default function Classes() {
  const { tenant_id } = useTenant();
  const family = useMemo(() => classesOf(tenant_id), [tenant_id]);
  return (
    <div className="table">
      <h1>{text.title}</h1>
      <Collection family={family} />
    </div>
  );
}
