"""What fields mean: how full it was."""

MEANINGS = {
    "at": "Start of the period.",
    "total": "Total number of addresses, or of prefixes of a delegation pool.",
    "leased": "Number with an active lease at the end of the period.",
    "free": "Number that were free at the end of the period.",
    "total_exact": "total as a decimal string: JavaScript and others round integers above 2^53.",
    "free_exact": "free as a decimal string.",
    "utilisation": "Share in use at the end of the period, 0 to 1.",
    "peak_utilisation": "Highest share in use during the period, 0 to 1.",
    "since": "Start of the first period.",
    "until": "End of the last period.",
    "step": "Length of a period in seconds; longer than requested if there would be over 1,000 periods.",
    "items": "Periods with data, in order.",
}
