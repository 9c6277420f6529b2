"""Rules for the English that people read: words and constructions that are refused, and how long a sentence may be.

`faults` lists what is wrong with a text. Code spans, links' targets and placeholders are no prose: `prose.py` takes
them out and splits texts into sentences.
"""

import re
from collections.abc import Iterator

LONGEST = 35  # words; the goal is 25

FIGURATIVE = r"""
    says | say(?=\s+(?:so|that|what|how|which|who|where)\b) | tells? | told | stands?(?!\s+for\b) | bears? | borne |
    wants | hears? | heard | wishes | gives\s+away | goes?\s+on | comes?\s+about | whoever | whomever | whom |
    wherefore | whereof | thereof
"""

# American spelling; what the API already calls otherwise is written as code: `utilisation`.
BRITISH = r"""
    licence[sd]? | (?:un)?(?:authori|canonicali|categori|customi|emphasi|finali|generali|initiali|locali|materiali|
    maximi|minimi|normali|optimi|organi|prioriti|reali|recogni|seriali|speciali|summari|synchroni|utili)
    s(?:e[sd]?|ing|ations?) |
    analys(?:e[sd]?|ing) | (?:colou|behaviou|honou|favou|neighbou|harbou|labou|rumou|flavou|endeavou)r\w* |
    centre[sd]? | artefacts? | fulfil(?:s|ment)? | defence | offence | grey(?:ed)? | whilst | judgement |
    (?:label|cancel|model|travel|signal|channel|tunnel)l(?:ed|ing) | practis(?:e[sd]?|ing) | programmes? |
    catalogue[sd]?
"""

# Acronyms whose first letter a program has put into lower case, as at the beginning of a sentence.
ACRONYM = re.compile(
    r"(?<![\w./-])(?:a(?:PI|CK)|b(?:IND|OOTP)|c(?:IDR|LI|SV)|d(?:HCP|NS|DNS|UID)|h(?:TTP)|i(?:P|AID|PAM)|j(?:SON)|"
    r"m(?:AC)|n(?:AK|TP|OTIFY)|p(?:TR|XE)|r(?:FC|FCs)|s(?:OA|QL)|t(?:CP|LS|SIG|TL)|u(?:DP|RL|UID)|v(?:LAN)|y(?:AML))"
    r"(?:v[46]|s)?(?![\w-])"
)

# A clause in place of a subject: "What is left is dropped", "; who does not read is cut off".
CLAUSE = r"(?:who|what|whom|whose|that\s+which|those\s+(?:that|who|which|of|whose|with|without|for|in|on))"

WORDS = re.compile(rf"(?<![\w`'-])(?:{FIGURATIVE})(?![\w'-])", re.I | re.X)
SPELLINGS = re.compile(rf"(?<![\w`./-])(?:{BRITISH})(?![\w`/-])", re.I | re.X)
OPENING = re.compile(rf"^\W*(?:(?:and|but|or|so|for)\s+)?{CLAUSE}\b", re.I)
INNER = re.compile(rf"[;:]\s+(?:(?:and|but|or|so)\s+)?{CLAUSE}\s", re.I)
QUESTION = re.compile(r"\?\W*$")


def faults(sentence: str, *, heading: bool = False) -> Iterator[str]:
    """Yield what is wrong with one sentence. A heading or a cell of a table's head may begin with "What"."""
    for found in WORDS.finditer(sentence):
        yield f"{found.group()!r}: use a verb that does the work (contains, reports, needs, is)"
    for found in ACRONYM.finditer(sentence):
        yield f"{found.group()!r}: an acronym keeps its capitals"
    for found in SPELLINGS.finditer(sentence):
        yield f"{found.group()!r}: use the American spelling"
    if not heading and not QUESTION.search(sentence):
        yield from clauses(sentence)
    if (words := len(sentence.split())) > LONGEST:
        yield f"{words} words: {LONGEST} at most"


def clauses(sentence: str) -> Iterator[str]:
    if found := OPENING.search(sentence):
        yield f"begins with {found.group().strip()!r}: name the subject"
    for found in INNER.finditer(sentence):
        yield f"{found.group().strip()!r}: name the subject"
