/** Made up. It is put into the vault first, so the notes that quote it are stored without it. */
export const demoSecret = { id: 'booking-portal', value: 'larkspur-portal-passphrase-7' }

/** Booking codes are no secrets to the built-in patterns; the agency has a rule of its own for them. */
export const demoRule = { id: 'booking-code', pattern: 'LK-[0-9]{6}', description: 'Codes that open a booking' }

/** What the concierge wrote down by itself. There is much repetition in it, which a compaction takes out. */
export const conciergeNotes: readonly string[] = [
  'Morning briefing: four arrivals, two departures.',
  'Ada asked for the airport transfer at 06:30.',
  'Ada asked again for the airport transfer at 06:30.',
  'The transfer company confirmed 06:30 for Ada.',
  'Grace moved her call to 16:30.',
  'Grace confirmed her call at 16:30.',
  'The hotel in Kyoto has no room before the 4th.',
  'The hotel in Kyoto has a room from the 4th on.',
  'Lin was told about the room in Kyoto.',
  'Quentin asked whether the pool is heated.',
  'The pool is heated from May to October.',
  'Quentin was told about the pool.',
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
