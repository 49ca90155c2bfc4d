/** An invented secret. It is stored in the vault first, so it is redacted in the notes that quote it. */
export const demoSecret = { id: 'booking-portal', value: 'larkspur-portal-passphrase-7' }

/** The built-in rules do not match booking codes, so the agency has its own rule for them. */
export const demoRule = { id: 'booking-code', pattern: 'LK-[0-9]{6}', description: 'Codes that open a booking' }

/** Notes of the concierge, with repetitions that a compaction removes. */
export const conciergeNotes: readonly string[] = [
  'Morning briefing: four arrivals, two departures.',
  'Ada asked for the airport transfer at 06:30.',
  'Ada asked again for the airport transfer at 06:30.',
  'The transfer company confirmed 06:30 for Ada.',
  'Grace moved her call to 16:30.',
  'Grace confirmed her call at 16:30.',
  'The hotel in Kyoto has no room before the 4th.',
  'The hotel in Kyoto has a room from the 4th on.',
  'Lin got a message about the room in Kyoto.',
  'Quentin asked whether the pool is heated.',
  'The pool is heated from May to October.',
  'Quentin got a message about the pool.',
]

type Note = {
  readonly ref: string
  readonly content: string
  readonly tags: readonly string[]
  /** Days from now until it expires. */
  readonly days?: number
}

export const notes: readonly Note[] = [
  { ref: 'agents/concierge', content: 'The rate for the Kyoto hotel holds for three days.', tags: ['offer'], days: 3 },
  { ref: 'agents/concierge', content: 'Strike at Lisbon airport this week.', tags: ['warning'], days: 5 },
  { ref: 'agents/concierge', content: 'Lounge vouchers are valid for a month.', tags: ['offer'], days: 30 },
  { ref: 'team/handbook', content: 'Always offer the train for trips below five hours.', tags: ['policy'] },
  { ref: 'team/handbook', content: 'Refunds above 500 euros need an approval.', tags: ['policy'] },
  { ref: 'team/handbook', content: `The booking portal takes ${demoSecret.value}.`, tags: ['access'] },
  { ref: 'team/handbook', content: 'The code of the Alps trip is LK-204518.', tags: ['access'] },
]
