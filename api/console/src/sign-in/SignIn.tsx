import { type FormEvent, useState } from "react";
import { Button, Checkbox, Dialog, Heading, Modal } from "react-aria-components";
import { send as ask } from "../api/transport.ts";
import { Entry } from "../parts/form/Entry.tsx";
import { takeToken } from "../store/token.ts";
import { text } from "./text.ts";

const COMMAND = "ipam token create --name NAME --role admin";

export function SignIn() {
  return (
    <section>
      <h1>{text.signIn.title}</h1>
      <SignInForm />
      <p className="quiet">{text.signIn.source}</p>
      <pre>{COMMAND}</pre>
    </section>
  );
}

// Above the screen that was in use; it goes by itself when there is a token.
export function SignInAgain() {
  return (
    <Modal isOpen isKeyboardDismissDisabled>
      <Dialog>
        <Heading slot="title">{text.signIn.again}</Heading>
        <p>{text.signIn.againExplain}</p>
        <SignInForm />
      </Dialog>
    </Modal>
  );
}

function SignInForm() {
  const [secret, setSecret] = useState("");
  const [stays, setStays] = useState(false);
  const [refusal, setRefusal] = useState("");

  async function enter(event: FormEvent) {
    event.preventDefault();
    const request = new Request("/api/v1/tokens/self");
    const answer = await ask(request, secret.trim());
    if (answer.ok) takeToken(secret.trim(), stays ? "device" : "tab");
    else setRefusal(answer.status === 401 ? text.signIn.refused : await reasonOf(answer));
  }

  return (
    <form onSubmit={(event) => void enter(event)} className="stack">
      <Entry
        label={text.signIn.token}
        type="password"
        value={secret}
        onChange={setSecret}
        error={refusal}
        autoFocus
        autoComplete="off"
      />
      <Checkbox isSelected={stays} onChange={setStays} className="check">
        {text.signIn.onThisDevice}
      </Checkbox>
      <p className="quiet">{text.signIn.explain}</p>
      <Button type="submit" className="primary" isDisabled={secret.trim() === ""}>
        {text.signIn.enter}
      </Button>
    </form>
  );
}

async function reasonOf(answer: Response): Promise<string> {
  const told = (await answer.json().catch(() => null)) as { error?: { message?: string } } | null;
  return told?.error?.message ?? `HTTP ${answer.status}`;
}
