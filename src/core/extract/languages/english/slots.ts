import { browsers, editors, packageManagers, programmingLanguages, shells, systems } from './lexicon.ts'

/** A slot that is recognised by its values: "prefer dark mode" fills the slot `ui.theme`. */
type ValueSlot = {
  readonly key: string
  readonly accepts: (value: string) => boolean
  /** The nouns for the slot in "my editor is …". */
  readonly nouns?: RegExp
  /** Whether liking a value fills the slot, not only preferring or requesting it. */
  readonly byTaste: boolean
  /** Whether using a value fills the slot. */
  readonly byUse: boolean
}

const matching = (pattern: RegExp) => (value: string) => pattern.test(value)
const among = (known: ReadonlySet<string>) => (value: string) => known.has(value.toLowerCase())

const length =
  'short(?:er)?|brief|concise|succinct|terse|long(?:er)?|detailed|in-depth|thorough|verbose|to[- ]the[- ]point|compact|quick|crisp|step[- ]by[- ]step'
const answers = 'answers?|updates?|repl(?:y|ies)|responses?|explanations?|messages?|summar(?:y|ies)|output|texts?'
const tone = 'formal|informal|casual|friendly|professional|direct|polite|relaxed|blunt|humorous|neutral'

const valueSlots: readonly ValueSlot[] = [
  {
    key: 'ui.theme',
    accepts: matching(
      /^(?:the )?(?:dark|light|night|black|bright|high[- ]contrast|solarized)[ -]?(?:modes?|themes?|ui|interface)$/i,
    ),
    nouns: /^(?:ui |color |colour )?theme$/i,
    byTaste: true,
    byUse: true,
  },
  {
    key: 'reply.length',
    accepts: matching(
      new RegExp(`^(?:very |really |more )?(?:${length})(?:,? (?:and )?(?:${length}))? (?:${answers})$`, 'i'),
    ),
    byTaste: true,
    byUse: false,
  },
  {
    key: 'reply.tone',
    accepts: matching(new RegExp(`^(?:an? )?(?:more )?(?:${tone}) (?:tone|style|language|voice|${answers})$`, 'i')),
    byTaste: true,
    byUse: false,
  },
  {
    key: 'reply.format',
    accepts: matching(
      /^(?:the |using |(?:your |my |the )?(?:answers|replies|responses|output) (?:in|as|with) )?(?:bullet(?:ed)?[- ]?(?:points?|lists?)?|tables?|markdown|plain text|numbered lists?|prose|json|yaml|code (?:examples?|snippets?|first)|headings?|paragraphs)$/i,
    ),
    byTaste: true,
    byUse: false,
  },
  {
    key: 'reply.emoji',
    accepts: matching(/^(?:any |the |using |lots of )*(?:emojis?|emoticons?|smileys?)$/i),
    byTaste: true,
    byUse: false,
  },
  {
    key: 'units',
    accepts: matching(/^(?:the )?(?:metric|imperial|si|us customary)(?: units?| system| measurements?)?$/i),
    byTaste: true,
    byUse: true,
  },
  {
    key: 'units.temperature',
    accepts: matching(/^(?:degrees )?(?:celsius|fahrenheit|kelvin|centigrade)$/i),
    byTaste: true,
    byUse: true,
  },
  { key: 'units.distance', accepts: matching(/^(?:kilomet(?:er|re)s|miles|km)$/i), byTaste: false, byUse: true },
  {
    key: 'time.format',
    accepts: matching(
      /^(?:an? |the )?(?:24|12|twenty-four|twelve)[- ]?(?:hour|hr|h)(?: clock| time| format| times)*$/i,
    ),
    byTaste: true,
    byUse: true,
  },
  {
    key: 'date.format',
    accepts: matching(
      /^(?:(?:my |the )?dates (?:in |as )?)?(?:iso(?: ?8601)?|dd[./-]mm[./-]yyyy|mm[./-]dd[./-]yyyy|yyyy-mm-dd|us|european|german)(?: date)?(?: format| dates| style)*$/i,
    ),
    byTaste: true,
    byUse: true,
  },
  {
    key: 'code.indentation',
    accepts: matching(
      /^(?:tabs|spaces|(?:two|four|eight|2|4|8)[- ]spaces?(?: indent(?:ation|s)?)?|tab indent(?:ation)?)$/i,
    ),
    byTaste: true,
    byUse: true,
  },
  {
    key: 'travel.seat',
    accepts: matching(/^(?:an? |the )?(?:aisle|window|middle)(?: seats?)$/i),
    byTaste: true,
    byUse: false,
  },
  {
    key: 'contact.channel',
    accepts: matching(
      /^(?:by |via |an? |the )*(?:e-?mails?|phone(?: calls?)?|calls?|text(?:s| messages?|ing)?|sms|slack|whatsapp|signal|telegram|teams|discord|video calls?|zoom|chat|letters?)$/i,
    ),
    nouns: /^(?:preferred )?(?:contact (?:method|channel))$/i,
    byTaste: false,
    byUse: false,
  },
  {
    key: 'editor',
    accepts: among(editors),
    nouns: /^(?:main |favourite |primary |code |text |daily )*(?:editor|ide)$/i,
    byTaste: false,
    byUse: true,
  },
  {
    key: 'browser',
    accepts: among(browsers),
    nouns: /^(?:main |default |web )*browser$/i,
    byTaste: false,
    byUse: true,
  },
  { key: 'shell', accepts: among(shells), nouns: /^(?:main |default |login )*shell$/i, byTaste: false, byUse: true },
  { key: 'package.manager', accepts: among(packageManagers), nouns: /^package manager$/i, byTaste: false, byUse: true },
  {
    key: 'os',
    accepts: matching(systems),
    nouns: /^(?:os|operating system|distro|linux distro)$/i,
    byTaste: false,
    byUse: true,
  },
  {
    key: 'programming.language',
    accepts: among(programmingLanguages),
    nouns: /^(?:main |primary |go-to )*(?:programming )?language$/i,
    byTaste: false,
    byUse: false,
  },
]

/** How a sentence relates the user to a value. */
export type SlotUse = 'prefer' | 'taste' | 'use' | 'ask'

/** The slot that a value fills when the user prefers, likes, uses or requests it; null when there is none. */
export function slotByValue(value: string, how: SlotUse): string | null {
  const slot = valueSlots.find(
    ({ accepts, byTaste, byUse }) => (how === 'taste' ? byTaste : how === 'use' ? byUse : true) && accepts(value),
  )
  return slot?.key ?? null
}

/** The slot that a noun names, as in "my editor". */
export function slotByNoun(noun: string): string | null {
  return valueSlots.find(({ nouns }) => nouns?.test(noun))?.key ?? null
}
