import { catalogue } from "../text/catalogue.ts";

export const text = catalogue({
  product: { name: "ipam", is: "DHCP, DNS and IP address management" },
  first: {
    title: "Create the first token",
    explain:
      "No token exists yet. The first token has the role admin. Its secret is shown once; the console keeps it until this tab closes.",
    name: "Token name",
    make: "Create token",
  },
  made: {
    title: "Your token",
    explain: "Save the token now. It is shown once; the server stores only a hash.",
    secret: "Secret",
    copy: "Copy",
    copied: "Copied",
    enter: "Open the console",
  },
  elsewhere: {
    title: "No token exists yet",
    explain:
      "Only root and the service account can create the first token, on the server itself. Open the link that ipam up prints on a terminal there, or run:",
    afterwards: "The command prints a token. Use it to sign in here.",
    enter: "I have a token",
    reason: "Answer of the server:",
  },
  signIn: {
    title: "Sign in",
    again: "Sign in again",
    againExplain: "The token is no longer valid. Your input is kept.",
    token: "Token",
    onThisDevice: "Stay signed in on this device",
    explain: "Otherwise the token is kept until this tab closes.",
    enter: "Sign in",
    source: "To create a token, ask an administrator or run on the server:",
    refused: "The server rejected this token: it is mistyped, expired or revoked.",
  },
  away: { title: "The server does not answer", again: "Try again" },
});
