import type { CommitmentLanguage } from '../language.ts'
import type { DayExpression } from '../resolve-time.ts'

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const months = 'january february march april may june july august september october november december'.split(' ')
const monthPattern = `(${months.map((name) => `${name}|${name.slice(0, 3)}\\b\\.?`).join('|')})`
const numbers = 'one two three four five six seven eight nine ten eleven twelve'.split(' ')
const amountPattern = `(an?|${numbers.join('|')}|\\d{1,3})`
const ordinal = '(\\d{1,2})(?:st|nd|rd|th)?'

function amountOf(word: string): number {
  return /^\d/.test(word) ? Number(word) : Math.max(1, numbers.indexOf(word.toLowerCase()) + 1)
}

function dateOf(day: string, month: string, year: string): DayExpression {
  const number = months.findIndex((name) => name.startsWith(month.toLowerCase().slice(0, 3))) + 1
  return { kind: 'date', day: Number(day), month: number, year: year === '' ? null : Number(year) }
}

const smallWords =
  'a an the this that these those my your his her its our their i you he she it we they me him us them is are was were be been being has have had do does did get gets got gotten and or of to in on at for with by from now just finally already then'

/** English: "remind me on Friday to call Ana", "when the invoice is paid, tell Ana". */
export const english: CommitmentLanguage = {
  name: 'en',
  trigger: /remind|let (?:me|us) (?:forget|know)|tell|notify|inform|ping|alert|warn|email|message|\b(?:ask|call)\b/iu,
  reminderWord: /remind |let (?:me|us) forget/iu,
  conditionWord: /\b(?:when|once|as soon as)\b/iu,
  reminders: [
    /^(?<lead>.{0,60}?)\b(?:remind (?!to\b|that\b|of\b|about\b)[\p{L}'-]+|do(?:n['’]?| no)t let (?:me|us) forget)(?<rest>\s.*|)$/iu,
  ],
  fillers:
    /^(?:[\s,]|\b(?:please|and|so|then|also|ok|okay|hey|hi|hello|thanks|can|could|would|will|you|kindly|again|just)\b)*$/iu,
  afterTime: /^\s*(?:$|(?:please\s+)?(?:to|about|of|that)\b|[,:–-])/iu,
  timeAtEnd: /^\s*to\s/iu,
  vagueBefore:
    /\b(?:every|each|by|before|after|until|till|around|about|next|last|since|from|or|and|for|of|than|between|morning|afternoon|evening|night)\s*,?\s*(?:the\s*)?$/iu,
  days: [
    { pattern: 'the day after tomorrow', read: () => ({ kind: 'days', days: 2 }) },
    { pattern: 'tomorrow', read: () => ({ kind: 'days', days: 1 }) },
    { pattern: 'today', read: () => ({ kind: 'days', days: 0 }) },
    {
      // "Next Friday" means the coming one to some, and the one after it to others.
      pattern: `(?:on\\s+|this\\s+|this coming\\s+|coming\\s+)?(${weekdays.join('|')})`,
      read: (name = '') => ({ kind: 'weekday', weekday: weekdays.indexOf(name.toLowerCase()) + 1 }),
    },
    {
      pattern: `in\\s+${amountPattern}\\s+(minute|hour|day|week|month)s?`,
      read: (amount = '', unit = '') => ({
        kind: 'later',
        amount: amountOf(amount),
        unit: unit.toLowerCase() as 'minute' | 'hour' | 'day' | 'week' | 'month',
      }),
    },
    {
      pattern: `(?:on\\s+)?(?:the\\s+)?${ordinal}\\s+(?:of\\s+)?${monthPattern}(?:,?\\s+(\\d{4}))?`,
      read: (day = '', month = '', year = '') => dateOf(day, month, year),
    },
    {
      pattern: `(?:on\\s+)?${monthPattern}\\s+(?:the\\s+)?${ordinal}(?:,?\\s+(\\d{4}))?`,
      read: (month = '', day = '', year = '') => dateOf(day, month, year),
    },
    {
      pattern: '(?:on\\s+)?(\\d{4})-(\\d{2})-(\\d{2})',
      read: (year = '', month = '', day = '') => ({
        kind: 'date',
        day: Number(day),
        month: Number(month),
        year: Number(year),
      }),
    },
  ],
  times: [
    { pattern: '(?:at\\s+)?noon', read: () => ({ hour: 12, minute: 0 }) },
    {
      pattern: '(?:at\\s+)?(\\d{1,2})(?:[:.](\\d{2}))?\\s*(a\\.?m\\.?|p\\.?m\\.?)',
      read(hour = '', minute = '', half = '') {
        const number = Number(hour)
        if (number < 1 || number > 12) return null
        return { hour: (number % 12) + (/^p/i.test(half) ? 12 : 0), minute: Number(minute || 0) }
      },
    },
    {
      pattern: "at\\s+(\\d{1,2})(?:[:.](\\d{2}))?(?:\\s*o['’]?clock)?",
      // "At 3" may be at night or in the afternoon.
      read: (hour = '', minute = '') =>
        Number(hour) < 7 && !hour.startsWith('0') ? null : { hour: Number(hour), minute: Number(minute || 0) },
    },
  ],
  conditions: [
    /^(?:please\s+)?(?:when|once|as soon as)\s+(?<statement>[^,]{3,200}),\s*(?:(?:please|then)\s+)*(?<action>(?:tell|remind|notify|inform|ping|ask|email|message|let|warn|alert|call)\b.+)$/iu,
    /^(?:please\s+)?(?<action>(?:let (?:me|us) know|(?:notify|inform|ping|alert|warn|remind)\s[^,]{1,120}?)),?\s+(?:when|once|as soon as)\s+(?<statement>[^,]{3,200})$/iu,
    // "Tell Ana when the meeting is" asks for the time of the meeting.
    /^(?:please\s+)?(?<action>(?:tell|ask|email|message|call)\s[^,]{1,120}?),?\s+(?:once|as soon as)\s+(?<statement>[^,]{3,200})$/iu,
  ],
  smallWords: new Set(smallWords.split(' ')),
  notAsserted:
    /(?<!\p{L})\p{L}+n['’]t\b|\b(?:not|never|no|none|without|nor|neither|cannot|when|whenever|if|unless|once|until|till|before|soon|will|shall|would|should|could|must|may|might|can|needs?|wants?|going to|to be|almost|nearly|maybe|perhaps|probably|supposed|expect(?:s|ed)?|hopes?|wishes|remind|tell|notify)\b/iu,
}
