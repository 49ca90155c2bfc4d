/** The source services of the demo and their authority. */
export const services = [
  { key: 'crm', name: 'Customer records', priority: 80, categories: { preference: 55 } },
  { key: 'support-desk', name: 'Support desk', priority: 60, categories: {} },
  { key: 'calendar', name: 'Shared calendar', priority: 60, categories: { preference: 30 } },
  { key: 'chat', name: 'Chat with the concierge', priority: 40, categories: { preference: 70, goal: 70 } },
] as const

type Service = (typeof services)[number]['key']
type Category = 'preference' | 'fact' | 'goal' | 'procedure' | 'relationship' | 'expertise'

/** One statement of a service: on which day of the past week and at which hour, about whom, for which claim. */
export type DemoStatement = readonly [
  day: number,
  hour: number,
  service: Service,
  person: string,
  category: Category,
  claimKey: string | null,
  text: string,
]

/** One week at a small travel agency. Two services that state the same claim agree, disagree, or correct each other. */
export const statements: readonly DemoStatement[] = [
  [1, 8, 'crm', 'ada', 'fact', 'address.city', 'Ada lives in Lisbon.'],
  [1, 9, 'chat', 'ada', 'preference', 'seat', 'Ada wants an aisle seat.'],
  [1, 9, 'chat', 'ada', 'preference', 'drink', 'Ada prefers tea.'],
  [1, 10, 'crm', 'grace', 'fact', 'address.city', 'Grace lives in Porto.'],
  [1, 11, 'support-desk', 'grace', 'fact', 'contact.phone-hours', 'Grace takes calls after 16:00.'],
  [1, 12, 'crm', 'lin', 'relationship', 'manager', 'Lin reports to Grace.'],
  [1, 13, 'chat', 'lin', 'goal', 'trip.next', 'Lin plans a trip to Kyoto in April.'],
  [1, 15, 'calendar', 'mateo', 'fact', 'timezone', 'Mateo works in the time zone Europe/Madrid.'],
  [1, 16, 'crm', 'noor', 'fact', 'membership', 'Noor has a gold membership.'],
  [2, 8, 'crm', 'olga', 'fact', 'address.city', 'Olga lives in Tallinn.'],
  [2, 9, 'support-desk', 'ada', 'fact', 'address.city', 'Ada lives in Lisbon.'],
  [2, 9, 'chat', 'grace', 'preference', 'meal', 'Grace eats vegetarian.'],
  [2, 10, 'crm', 'priya', 'fact', 'membership', 'Priya has a silver membership.'],
  [2, 11, 'support-desk', 'mateo', 'fact', 'timezone', 'Mateo works in the time zone America/Bogota.'],
  [2, 13, 'calendar', 'noor', 'fact', 'office', 'Noor is in the Berlin office on Tuesdays.'],
  [2, 14, 'chat', 'olga', 'preference', 'language', 'Olga prefers letters in Estonian.'],
  [2, 17, 'chat', 'quentin', 'preference', 'hotel', 'Quentin wants hotels with a pool.'],
  [3, 8, 'chat', 'ada', 'fact', 'address.city', 'Ada has moved to Sintra.'],
  [3, 9, 'crm', 'grace', 'preference', 'meal', 'Grace has no dietary needs.'],
  [3, 10, 'crm', 'quentin', 'fact', 'billing.plan', 'Quentin pays by invoice.'],
  [3, 11, 'support-desk', 'rosa', 'procedure', 'refund.channel', 'Refunds for Rosa go to her company card.'],
  [3, 12, 'crm', 'rosa', 'fact', 'address.city', 'Rosa lives in Sevilla.'],
  [3, 13, 'chat', 'priya', 'goal', 'trip.next', 'Priya wants to see the northern lights this winter.'],
  [3, 14, 'calendar', 'sven', 'fact', 'office', 'Sven is in the Oslo office on Fridays.'],
  [3, 15, 'chat', 'sven', 'expertise', 'skiing', 'Sven knows the Norwegian ski resorts by heart.'],
  [4, 8, 'crm', 'tomoko', 'fact', 'address.city', 'Tomoko lives in Osaka.'],
  [4, 9, 'chat', 'ada', 'preference', 'drink', 'Ada prefers coffee these days.'],
  [4, 10, 'support-desk', 'noor', 'fact', 'office', 'Noor is in the Munich office on Tuesdays.'],
  [4, 11, 'crm', 'noor', 'fact', 'membership', 'Noor has a platinum membership.'],
  [4, 13, 'chat', 'tomoko', 'preference', 'seat', 'Tomoko wants a window seat.'],
  [4, 14, 'crm', 'uma', 'fact', 'address.city', 'Uma lives in Pune.'],
  [4, 15, 'chat', 'uma', 'preference', 'language', 'Uma prefers messages in English.'],
  [5, 8, 'support-desk', 'uma', 'fact', 'contact.phone-hours', 'Uma takes calls in the morning.'],
  [5, 9, 'calendar', 'uma', 'fact', 'contact.phone-hours', 'Uma takes calls in the evening.'],
  [5, 10, 'chat', 'quentin', 'preference', 'hotel', 'Quentin wants hotels with a pool.'],
  [5, 11, 'crm', 'lin', 'relationship', 'manager', 'Lin reports to Noor.'],
  [5, 12, 'chat', 'lin', 'goal', 'trip.next', 'Lin plans a trip to Hokkaido in June.'],
  [5, 14, 'support-desk', 'sven', 'procedure', 'rebooking', 'Sven may be rebooked without asking him.'],
  [6, 9, 'crm', 'ada', 'fact', 'address.city', 'Ada lives in Sintra.'],
  [6, 10, 'calendar', 'priya', 'fact', 'office', 'Priya works from home on Mondays.'],
  [6, 11, 'support-desk', 'tomoko', 'fact', 'allergy', 'Tomoko is allergic to peanuts.'],
  [6, 12, 'crm', 'tomoko', 'fact', 'allergy', 'Tomoko has no known allergies.'],
  [6, 13, 'chat', 'rosa', 'relationship', null, 'Rosa travels with her daughter Inés.'],
  [6, 14, 'chat', 'mateo', 'expertise', 'wine', 'Mateo can name a Rioja by its smell.'],
  [6, 16, 'chat', 'olga', 'goal', 'trip.next', 'Olga wants to cross the Alps by train.'],
]
