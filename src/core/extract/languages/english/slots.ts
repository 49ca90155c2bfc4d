import { browsers, editors, packageManagers, programmingLanguages, shells, systems } from './lexicon.ts'

/** A slot that is recognised by what fills it: whoever prefers "dark mode" speaks about the theme. */
type ValueSlot = {
  readonly key: string
  readonly holds: (value: string) => boolean
  /** How the slot is called in "my editor is …". */
  readonly nouns?: RegExp
  /** Filled by liking a value, not only by preferring or asking for it. */
  readonly byTaste: boolean
  /** Filled by merely using a value. */
  readonly byUse: boolean
}

const fits = (pattern: RegExp) => (value: string) => pattern.test(value)
const among = (known: ReadonlySet<string>) => (value: string) => known.has(value.toLowerCase())

const length =
  'short(?:er)?|brief|concise|succinct|terse|long(?:er)?|detailed|in-depth|thorough|verbose|to[- ]the[- ]point|compact|quick|crisp|step[- ]by[- ]step'
const answers = 'answers?|updates?|repl(?:y|ies)|responses?|explanations?|messages?|summar(?:y|ies)|output|texts?'
const tone = 'formal|informal|casual|friendly|professional|direct|polite|relaxed|blunt|humorous|neutral'

const valueSlots: readonly ValueSlot[] = [
  {
    key: 'ui.theme',
    holds: fits(
      /^(?:the )?(?:dark|light|night|black|bright|high[- ]contrast|solarized)[ -]?(?:modes?|themes?|ui|interface)$/i,
    ),
    nouns: /^(?:ui |color |colour )?theme$/i,
    byTaste: true,
    byUse: true,
  },
  {
    key: 'reply.length',
    holds: fits(
      new RegExp(`^(?:very |really |more )?(?:${length})(?:,? (?:and )?(?:${length}))? (?:${answers})$`, 'i'),
    ),
    byTaste: true,
    byUse: false,
  },
  {
    key: 'reply.tone',
    holds: fits(new RegExp(`^(?:an? )?(?:more )?(?:${tone}) (?:tone|style|language|voice|${answers})$`, 'i')),
    byTaste: true,
    byUse: false,
  },
  {
    key: 'reply.format',
    holds: fits(
      /^(?:the |using |(?:your |my |the )?(?:answers|replies|responses|output) (?:in|as|with) )?(?:bullet(?:ed)?[- ]?(?:points?|lists?)?|tables?|markdown|plain text|numbered lists?|prose|json|yaml|code (?:examples?|snippets?|first)|headings?|paragraphs)$/i,
    ),
    byTaste: true,
    byUse: false,
  },
  {
    key: 'reply.emoji',
    holds: fits(/^(?:any |the |using |lots of )*(?:emojis?|emoticons?|smileys?)$/i),
    byTaste: true,
    byUse: false,
  },
  {
    key: 'units',
    holds: fits(/^(?:the )?(?:metric|imperial|si|us customary)(?: units?| system| measurements?)?$/i),
    byTaste: true,
    byUse: true,
  },
  {
    key: 'units.temperature',
    holds: fits(/^(?:degrees )?(?:celsius|fahrenheit|kelvin|centigrade)$/i),
    byTaste: true,
    byUse: true,
  },
  { key: 'units.distance', holds: fits(/^(?:kilomet(?:er|re)s|miles|km)$/i), byTaste: false, byUse: true },
  {
    key: 'time.format',
    holds: fits(/^(?:an? |the )?(?:24|12|twenty-four|twelve)[- ]?(?:hour|hr|h)(?: clock| time| format| times)*$/i),
    byTaste: true,
    byUse: true,
  },
  {
    key: 'date.format',
    holds: fits(
      /^(?:(?:my |the )?dates (?:in |as )?)?(?:iso(?: ?8601)?|dd[./-]mm[./-]yyyy|mm[./-]dd[./-]yyyy|yyyy-mm-dd|us|european|german)(?: date)?(?: format| dates| style)*$/i,
    ),
    byTaste: true,
    byUse: true,
  },
  {
    key: 'code.indentation',
    holds: fits(/^(?:tabs|spaces|(?:two|four|eight|2|4|8)[- ]spaces?(?: indent(?:ation|s)?)?|tab indent(?:ation)?)$/i),
    byTaste: true,
    byUse: true,
  },
  {
    key: 'travel.seat',
    holds: fits(/^(?:an? |the )?(?:aisle|window|middle)(?: seats?)$/i),
    byTaste: true,
    byUse: false,
  },
  {
    key: 'contact.channel',
    holds: fits(
      /^(?:by |via |an? |the )*(?:e-?mails?|phone(?: calls?)?|calls?|text(?:s| messages?|ing)?|sms|slack|whatsapp|signal|telegram|teams|discord|video calls?|zoom|chat|letters?)$/i,
    ),
    nouns: /^(?:preferred )?(?:contact (?:method|channel))$/i,
    byTaste: false,
    byUse: false,
  },
  {
    key: 'editor',
    holds: among(editors),
    nouns: /^(?:main |favourite |primary |code |text |daily )*(?:editor|ide)$/i,
    byTaste: false,
    byUse: true,
  },
  { key: 'browser', holds: among(browsers), nouns: /^(?:main |default |web )*browser$/i, byTaste: false, byUse: true },
  { key: 'shell', holds: among(shells), nouns: /^(?:main |default |login )*shell$/i, byTaste: false, byUse: true },
  { key: 'package.manager', holds: among(packageManagers), nouns: /^package manager$/i, byTaste: false, byUse: true },
  {
    key: 'os',
    holds: fits(systems),
    nouns: /^(?:os|operating system|distro|linux distro)$/i,
    byTaste: false,
    byUse: true,
  },
  {
    key: 'programming.language',
    holds: among(programmingLanguages),
    nouns: /^(?:main |primary |go-to )*(?:programming )?language$/i,
    byTaste: false,
    byUse: false,
  },
]

export type How = 'prefer' | 'taste' | 'use' | 'ask'

/** The slot a value belongs to, when saying it like this fills it. */
export function slotOf(value: string, how: How): string | null {
  const slot = valueSlots.find(
    ({ holds, byTaste, byUse }) => (how === 'taste' ? byTaste : how === 'use' ? byUse : true) && holds(value),
  )
  return slot?.key ?? null
}

export function slotCalled(noun: string): string | null {
  return valueSlots.find(({ nouns }) => nouns?.test(noun))?.key ?? null
}
