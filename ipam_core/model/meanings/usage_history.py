"""What fields mean: how full it was."""

MEANINGS = {
    "at": "When the period begins.",
    "total": "How many there were: addresses, or prefixes of a delegation pool.",
    "leased": "How many had an active lease at the period's end.",
    "free": "How many were free at the period's end.",
    "total_exact": "total as a decimal string: JavaScript and others round integers above 2^53.",
    "free_exact": "free as a decimal string.",
    "utilisation": "Share in use at the period's end, 0 to 1.",
    "peak_utilisation": "The highest share in use in the period, 0 to 1.",
    "since": "When the first period begins.",
    "until": "When the last period ends.",
    "step": "Seconds of a period; more than was asked for where there would be over 1,000.",
    "items": "The periods of which something is known, in order.",
}
