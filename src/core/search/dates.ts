const months = 'januari februari march april may june juli august septemb octob novemb decemb'.split(' ')

/** The day something was observed, in the terms a question would use: day, month and year. */
export function dateTermsOf(observedAt: number): readonly string[] {
  const date = new Date(observedAt)
  if (Number.isNaN(date.getTime())) return []
  return [String(date.getUTCDate()), months[date.getUTCMonth()] ?? '', String(date.getUTCFullYear())]
}
