import type { CommitmentLanguage } from '../language.ts'

const weekdays = ['montag', 'dienstag', 'mittwoch', 'donnerstag', 'freitag', 'samstag', 'sonntag']
const months = 'januar februar märz april mai juni juli august september oktober november dezember'.split(' ')
const numbers = 'ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf'.split(' ')
const units = { minute: 'minute', stunde: 'hour', tag: 'day', woche: 'week', monat: 'month' } as const

/** The names of the months, whose days are written with a dot: "3. März". */
export const germanMonths: readonly string[] = months

function weekdayOf(name: string): number {
  const lower = name.toLowerCase()
  return (lower === 'sonnabend' ? 5 : weekdays.indexOf(lower)) + 1
}

function amountOf(word: string): number {
  return /^\d/.test(word) ? Number(word) : Math.max(1, numbers.indexOf(word.toLowerCase()) + 1)
}

const smallWords =
  'der die das den dem des ein eine einen einem einer mein meine unser unsere sein seine ihr ihre ich du er sie es wir mich mir uns ist sind war waren wird wurde wurden worden werden hat haben hatte gewesen und oder von zu in im am an auf für mit bei aus nun jetzt endlich schon bereits dann'

/** German: "Erinnere mich am Freitag daran, Ana anzurufen", "Sobald die Rechnung bezahlt ist, sag Ana Bescheid". */
export const german: CommitmentLanguage = {
  name: 'de',
  trigger: /erinner|sag|benachrichtig|informier|gib|schreib|meld|frag|warn|ruf/iu,
  reminderWord: /erinner/iu,
  conditionWord: /\b(?:wenn|sobald)\b/iu,
  reminders: [
    /^(?<lead>.{0,60}?)(?<!\p{L})erinner[e]? (?!daran\b|an\b)[\p{L}-]+(?<rest>\s.*|)$/iu,
    /^(?<lead>(?:kannst|könntest|würdest|kann|könnte) (?:du|sie)(?: bitte)?) (?:mich|uns)(?: bitte)?(?<rest>\s.{2,60}?\s(?:daran|an\s.{1,60}?)\s*erinnern\b.*)$/iu,
  ],
  fillers:
    /^(?:[\s,]|(?<!\p{L})(?:bitte|und|dann|auch|ok|okay|hallo|hey|danke|kannst|könntest|würdest|kann|könnte|du|sie)(?!\p{L}))*$/iu,
  afterTime: /^\s*(?:$|(?:bitte\s+)?(?:daran|an|dass|zu)(?!\p{L})|[,:–-])/iu,
  // In "Erinnere mich daran, Ana am Freitag anzurufen" Friday may be the day of the call.
  timeAtEnd: null,
  vagueBefore: /^$/u,
  days: [
    { pattern: 'übermorgen', read: () => ({ kind: 'days', days: 2 }) },
    { pattern: 'morgen', read: () => ({ kind: 'days', days: 1 }) },
    { pattern: 'heute', read: () => ({ kind: 'days', days: 0 }) },
    {
      pattern: `(?:am|diesen|kommenden|am kommenden)\\s+(${weekdays.join('|')}|sonnabend)`,
      read: (name = '') => ({ kind: 'weekday', weekday: weekdayOf(name) }),
    },
    {
      pattern: `in\\s+(eine[mr]?|${numbers.join('|')}|\\d{1,3})\\s+(minute|stunde|tag|woche|monat)(?:en|n|e)?`,
      read: (amount = '', unit = '') => ({
        kind: 'later',
        amount: amountOf(amount),
        unit: units[unit.toLowerCase() as keyof typeof units],
      }),
    },
    {
      pattern: `am\\s+(\\d{1,2})\\.?\\s*(${months.join('|')})(?:\\s+(\\d{4}))?`,
      read: (day = '', month = '', year = '') => ({
        kind: 'date',
        day: Number(day),
        month: months.indexOf(month.toLowerCase()) + 1,
        year: year === '' ? null : Number(year),
      }),
    },
    {
      pattern: 'am\\s+(\\d{1,2})\\.(\\d{1,2})\\.(\\d{4})?',
      read: (day = '', month = '', year = '') => ({
        kind: 'date',
        day: Number(day),
        month: Number(month),
        year: year === '' ? null : Number(year),
      }),
    },
  ],
  times: [
    { pattern: '(?:um\\s+)?mittags?', read: () => ({ hour: 12, minute: 0 }) },
    {
      pattern: 'um\\s+(\\d{1,2})(?:[:.](\\d{2}))?(?:\\s+uhr(?:\\s+(\\d{2}))?)?',
      read: (hour = '', minute = '', after = '') => ({ hour: Number(hour), minute: Number(minute || after || 0) }),
    },
  ],
  conditions: [
    /^(?:wenn|sobald)\s+(?<statement>[^,]{3,200}),\s*(?:(?:dann|bitte)\s+)*(?<action>(?:sage?|erinnere?|benachrichtige|informiere|gib|schreibe?|melde|frage?|warne|rufe?)(?!\p{L}).+)$/iu,
    /^(?:bitte\s+)?(?<action>(?:sage?|erinnere?|benachrichtige|informiere|gib|schreibe?|melde|frage?|warne|rufe?)(?!\p{L})[^,]{1,120}?),\s*sobald\s+(?<statement>[^,]{3,200})$/iu,
  ],
  smallWords: new Set(smallWords.split(' ')),
  notAsserted:
    /(?<!\p{L})(?:nicht|nie|niemals|kein\p{L}*|ohne|wenn|falls|sobald|bevor|bis|bald|wird|werden|soll\p{L}*|muss|müssen|kann|können|könnte\p{L}*|würde\p{L}*|darf|dürfte|vielleicht|fast|beinahe|hoffentlich|wahrscheinlich|möchte\p{L}*|will|wollen|erinner\p{L}*|sag)(?!\p{L})/iu,
}
