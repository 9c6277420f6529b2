// What stands before the console: the first token, the command that makes it elsewhere, or the token to sign in by.
// A token that is refused later is asked for above what is there, so that nothing typed is lost.
import { type ReactNode, useState } from "react";
import { Button } from "react-aria-components";
import { useStore } from "../parts/useStore.ts";
import { look, session } from "../session/session.ts";
import { token } from "../store/token.ts";
import { Elsewhere } from "./Elsewhere.tsx";
import { FirstToken } from "./FirstToken.tsx";
import { SignIn, SignInAgain } from "./SignIn.tsx";
import { text } from "./text.ts";

export function WayIn({ children }: { children: ReactNode }) {
  const now = useStore(session);
  const secret = useStore(token);
  if (now.state === "in") {
    return (
      <>
        {children}
        {secret === null && <SignInAgain />}
      </>
    );
  }
  return (
    <main className="way-in">
      <p>
        <b>{text.product.name}</b> <span className="quiet">{text.product.is}</span>
      </p>
      <Door now={now.state} />
    </main>
  );
}

function Door({ now }: { now: string }) {
  const [hasToken, setHasToken] = useState(false);
  if (now === "looking") return null;
  if (now === "first-token") return <FirstToken />;
  if (now === "elsewhere" && !hasToken) return <Elsewhere onHasToken={() => setHasToken(true)} />;
  if (now === "away") return <Away />;
  return <SignIn />;
}

function Away() {
  return (
    <section role="alert">
      <h1>{text.away.title}</h1>
      <Button onPress={() => void look()}>{text.away.again}</Button>
    </section>
  );
}
