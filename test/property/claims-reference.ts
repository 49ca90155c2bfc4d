/**
 * The winner, computed in another way than in the engine: by comparing every statement with every other.
 * It implements the rule of the specification and uses nothing of the code it checks.
 */

export type Said = {
  readonly content: string
  readonly claim: string
  readonly confidence: number
}

export type SentEvent = {
  readonly service: string
  readonly eventId: string
  readonly observedAt: string
  readonly user: string
  readonly said: readonly Said[]
  /** An extractor read it in the messages: it needs confidence, or a second service. */
  readonly isReading?: boolean
}

export type Priorities = Readonly<Record<string, number>>

/** What a reader must find of one content. */
export type Expected = {
  readonly user: string
  readonly claim: string
  readonly content: string
  readonly status: 'active' | 'superseded'
  readonly sources: number
  readonly writers: number
  readonly confidence: number
  readonly service: string
  readonly eventId: string
}

type Statement = Said & SentEvent & { readonly place: number; readonly priority: number; readonly meaning: string }

export function meaningOf(content: string): string {
  const words = content.toLowerCase().split(/\s+/).filter(Boolean).join(' ')
  return words.replace(/[ .!?;,]*$/, '')
}

function beats(a: Statement, b: Statement): boolean {
  if (a.priority !== b.priority) return a.priority > b.priority
  const later = Date.parse(a.observedAt) - Date.parse(b.observedAt)
  if (later !== 0) return later > 0
  if (a.confidence !== b.confidence) return a.confidence > b.confidence
  if (a.service !== b.service) return a.service < b.service
  if (a.eventId !== b.eventId) return a.eventId < b.eventId
  return a.place < b.place
}

const best = (statements: readonly Statement[]): Statement =>
  statements.find((one) => statements.every((other) => other === one || beats(one, other))) as Statement

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const keys = [...new Set(items.map(keyOf))]
  return keys.map((key) => items.filter((item) => keyOf(item) === key))
}

function isRemembered(statements: readonly Statement[]): boolean {
  const isSure = statements.some(({ confidence, isReading = false }) => !isReading || confidence >= 0.65)
  return isSure || groupBy(statements, ({ service }) => service).length > 1
}

const nameOf = ({ service, eventId }: SentEvent) => `${service} ${eventId}`

/** Every writer lowers the uncertainty once, however often it repeats itself. */
function certainty(statements: readonly Statement[]): number {
  const perWriter = groupBy(statements, ({ service }) => service).map((own) =>
    Math.max(...own.map(({ confidence }) => confidence)),
  )
  return 1 - perWriter.reduce((uncertainty, confidence) => uncertainty * (1 - confidence), 1)
}

export function expectedOf(events: readonly SentEvent[], priorities: Priorities) {
  const statements = events.flatMap((event) =>
    event.said.map(
      (said, place): Statement => ({
        ...event,
        ...said,
        place,
        priority: priorities[event.service] ?? 0,
        meaning: meaningOf(said.content),
      }),
    ),
  )
  const memories: Expected[] = []
  const contested: string[] = []
  for (const claim of groupBy(statements, ({ user, claim }) => `${user} ${claim}`)) {
    const contents = groupBy(claim, ({ meaning }) => meaning).filter(isRemembered)
    if (contents.length === 0) continue
    const winner = best(contents.map(best))
    for (const content of contents) {
      const { user, claim: name, meaning, service, eventId } = best(content)
      memories.push({
        user,
        claim: name,
        content: meaning,
        status: meaning === winner.meaning ? 'active' : 'superseded',
        sources: groupBy(content, nameOf).length,
        writers: new Set(content.map((statement) => statement.service)).size,
        confidence: Math.round(certainty(content) * 1_000) / 1_000,
        service,
        eventId,
      })
    }
    const tied = contents.filter((content) => best(content).priority === winner.priority)
    if (tied.length > 1) contested.push(`${winner.user} ${winner.claim}`)
  }
  return { memories: memories.sort(byName), contested: contested.sort() }
}

export function byName(a: Expected, b: Expected): number {
  const [left, right] = [`${a.user}|${a.claim}|${a.content}`, `${b.user}|${b.claim}|${b.content}`]
  return left < right ? -1 : left > right ? 1 : 0
}

export function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((first, index) => permutations(items.toSpliced(index, 1)).map((rest) => [first, ...rest]))
}
