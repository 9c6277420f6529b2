import { catalogue } from "../text/catalogue.ts";

export const text = catalogue({
  first: {
    title: "Make the first token",
    explain:
      "No token exists yet, and you may create the first one. It is an admin's. Its secret is shown once.",
    name: "What is it for?",
    make: "Make the token",
  },
  made: {
    title: "The token",
    explain: "Keep it now: it is shown once and stored nowhere but as a hash.",
    secret: "Secret",
    copy: "Copy",
    copied: "Copied",
    enter: "Go on with it",
  },
  elsewhere: {
    title: "No token exists yet",
    explain:
      "The first one is created on the host, by root or the account of the service. Open the link that ipam up prints on a terminal, or run:",
    afterwards: "It prints a token. With that you can sign in here.",
    enter: "I have a token",
    reason: "The server said:",
  },
  signIn: {
    title: "Sign in",
    again: "Sign in again",
    againExplain: "The token is not valid any more. What you typed is kept.",
    token: "Token",
    onThisDevice: "Stay signed in on this device",
    explain: "Otherwise the token is kept until this tab closes.",
    enter: "Sign in",
    refused: "The server does not know this token: it is mistyped, expired or revoked.",
  },
  away: { title: "The server does not answer", again: "Try again" },
});
