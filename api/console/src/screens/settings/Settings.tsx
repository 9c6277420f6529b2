// The current token, preferences of this browser, and information about the service.
import { Self } from "./Self.tsx";
import { Service } from "./Service.tsx";
import { StoredHere } from "./StoredHere.tsx";
import "./settings.css";
import { PreferenceFields } from "../../parts/PreferenceFields.tsx";
import { text } from "./text.ts";

export default function Settings() {
  return (
    <div className="stack">
      <h1>{text.title}</h1>
      <div className="settings-panels">
        <Self />
        <section className="panel stack">
          <h2>{text.looks}</h2>
          <PreferenceFields />
        </section>
        <StoredHere />
        <Service />
      </div>
    </div>
  );
}
