const timeWords =
  /\b(?:yesterday|today|tonight|tomorrow|last|next|ago|week|weekend|month|year|day|morning|evening|afternoon|night|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|summer|winter|spring|fall|autumn|recently|since|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th))s?\b/i
const numbers =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|couple|once|twice|several|few|first|second|third|half|single|both)\b/i

/** Whether a text can say when something was. */
export function hasTimeWord(text: string): boolean {
  return timeWords.test(text)
}

/** Whether a text can say how many. */
export function hasNumber(text: string): boolean {
  return numbers.test(text)
}
