// The drawer of one object, which is read when it opens.
import type { ReactNode } from "react";
import { useAsk } from "../api/ask.ts";
import type { Call } from "../api/calls.ts";
import { text } from "../text/frame.ts";
import { Drawer } from "./Drawer.tsx";

type Props<A> = {
  read: Call<A>;
  nameOf: (object: A) => string;
  onClose: () => void;
  children: (object: A, etag: string | null) => ReactNode;
};

export function ObjectDrawer<A>({ read, nameOf, onClose, children }: Props<A>) {
  const { data, error } = useAsk(read);
  return (
    <Drawer title={data ? nameOf(data.data) : text.loading} onClose={onClose}>
      {error && <p className="notice bad">{error.message}</p>}
      {data && <div className="stack">{children(data.data, data.etag)}</div>}
    </Drawer>
  );
}
