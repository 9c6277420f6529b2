// What stands around every screen: navigation, search, tenant, the log of calls, preferences.
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { waiting } from "../api/transport.ts";
import { useStore } from "../parts/useStore.ts";
import { navigation } from "../screens/all.ts";
import { may } from "../session/session.ts";
import { text } from "../text/frame.ts";
import { Keys } from "./Keys.tsx";
import { LogButton } from "./LogButton.tsx";
import { Palette } from "./Palette.tsx";
import { PreferencesMenu } from "./PreferencesMenu.tsx";
import { TenantSwitch } from "./TenantSwitch.tsx";

export function Frame() {
  return (
    <div className="frame">
      <a className="skip" href="#content">
        {text.skip}
      </a>
      <header>
        <span className="product">{text.product}</span>
        <Palette />
        <TenantSwitch />
        <LogButton />
        <Keys />
        <PreferencesMenu />
      </header>
      <Navigation />
      <Content />
      <Waiting />
    </div>
  );
}

function Navigation() {
  return (
    <nav aria-label={text.screens}>
      {navigation
        .filter(({ screens }) => screens.length > 0)
        .map(({ group, screens }) => (
          <div key={group}>
            <h2>{text.groups[group]}</h2>
            <ul>
              {screens
                .filter((screen) => may(screen.may ?? "read"))
                .map((screen) => (
                  <li key={screen.name}>
                    <Link to={screen.routes[0]?.path ?? "/"}>{screen.title}</Link>
                  </li>
                ))}
            </ul>
          </div>
        ))}
    </nav>
  );
}

// A new screen takes the focus, so that keyboards and screen readers begin there.
function Content() {
  const place = useRouterState({ select: (state) => state.location.pathname });
  const main = useRef<HTMLElement>(null);
  const first = useRef(place);
  useEffect(() => {
    if (first.current !== place) main.current?.focus();
    first.current = place;
  }, [place]);
  return (
    <main id="content" ref={main} tabIndex={-1}>
      <Outlet />
    </main>
  );
}

function Waiting() {
  const seconds = useStore(waiting);
  return (
    <p className="waiting" role="status">
      {seconds === null ? "" : text.waits(seconds)}
    </p>
  );
}
