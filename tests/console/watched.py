"""What a page did that none may do, noted while a test uses it."""

from urllib.parse import urlsplit

from console.document import operation_of
from playwright.sync_api import ConsoleMessage, Page, Request, Response

# Chromium tells of every answer of 400 and above, which tests of refusals cause on purpose.
TOLD_BY_THE_BROWSER = "Failed to load resource"
REPORTS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
});
"""


class Watched:
    """`allowed`: statuses of refusals that the test is about."""

    def __init__(self, page: Page, allowed: tuple[int, ...] = ()) -> None:
        self.page = page
        self.allowed = allowed
        self.noted: list[str] = []
        self.operations: set[str] = set()
        page.add_init_script(REPORTS)
        page.on("console", self.on_console)
        page.on("pageerror", lambda error: self.noted.append(f"error: {error}"))
        page.on("request", self.on_request)
        page.on("response", self.on_response)

    def on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and TOLD_BY_THE_BROWSER not in message.text:
            self.noted.append(f"console: {message.text}")

    def on_request(self, request: Request) -> None:
        asked, here = urlsplit(request.url), urlsplit(self.page.url)
        if asked.scheme in ("blob", "data", "chrome-error"):
            return
        if here.netloc and asked.netloc != here.netloc:
            self.noted.append(f"another host: {request.url}")
        elif asked.path.startswith("/api/"):
            self.note_operation(request.method, asked.path)
        elif not asked.path.startswith(("/console", "/docs")):
            self.noted.append(f"neither console nor guides nor API: {request.url}")

    def note_operation(self, method: str, path: str) -> None:
        operation = operation_of(method, path)
        if operation is None:
            self.noted.append(f"not in the OpenAPI file: {method} {path}")
        else:
            self.operations.add(operation)

    def on_response(self, response: Response) -> None:
        if response.status >= 400 and response.status not in self.allowed:
            self.noted.append(f"{response.status}: {response.request.method} {response.url}")

    def faults(self) -> list[str]:
        if not self.page.is_closed():
            self.noted += [f"policy: {each}" for each in self.page.evaluate("window.violations")]
        return self.noted
