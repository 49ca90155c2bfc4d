import { trustClasses, trustRank } from '../../core/entries/trust.ts'
import type { Bounds, EntryFilter, NumberField, Scalar, TextField } from '../../core/filter/filter.ts'

/** What the two databases say differently. Values are never part of the text of a statement: `given` names a parameter. */
export type FilterDialect = {
  /** How a statement names the tenant of its call. */
  readonly tenant: string
  /** A member of a JSON column as a text. */
  readonly textMember: (column: string, name: string) => string
  /** A member of a JSON column as a number. */
  readonly numberMember: (column: string, name: string) => string
  readonly isTextAmong: (expression: string, given: string) => string
  readonly isNumberAmong: (expression: string, given: string) => string
  readonly number: (given: string) => string
  readonly position: (given: string) => string
  /** Orders a text by its characters, as the core does, and not as a language does. */
  readonly byCharacters: (expression: string) => string
  readonly text: (given: string) => string
  /** A table `x` with one row for each tag of the row, in its column `value`. */
  readonly tagsOf: (column: string) => string
  /** A table `m` with the columns `key` and `value`, one row for each member of a JSON object. */
  readonly membersOf: (column: string) => string
  /** The type of `m.value`: text, number, true, false, null or another one; and its value. */
  readonly isMember: (type: 'text' | 'number' | 'true' | 'false' | 'null') => string
  readonly memberText: string
  readonly memberNumber: string
}

/** Adds a value to the parameters of a statement, and returns how the statement names it. */
export type Give = (value: unknown) => string

/** Whether a field is of the best assertion, which depends on the position. */
const readsBest = (field: TextField | NumberField) => field === 'writer' || field === 'observed'

/** The rank of a stored class, which is a text in assertions. */
const rankOf = (column: string) =>
  `case ${column} ${trustClasses.map((trust) => `when '${trust}' then ${trustRank(trust)}`).join(' ')} end`

/**
 * A filter as a condition on the row `v` of `entry_version` as a read at a position shows it, never null: what `matches` of the core says in TypeScript.
 * A property test compares the two.
 */
export function createFilterSql(dialect: FilterDialect) {
  const ofClaim = (a: string) =>
    `${a}.tenant_id = ${dialect.tenant} and ${a}.claim_id = ${dialect.textMember('v.classification', 'claimId')}`

  const isStated = (a: string, position: string) => `${a}.recorded_position <= ${position}
       and (${a}.withdrawn_position is null
            or ${a}.withdrawal_contained_by is not null
            or ${a}.withdrawn_position > ${position})`

  /**
   * A value of the best assertion of the content that the entry had at the position; null without one. `supportersAmong` and `bestOf` of the core
   * say the same. Each lookup names the entry and the content, so that a claim with many contents costs no more than one with few.
   */
  function best(value: (a: string) => string, position: string): string {
    const contentKey = `(
             select o.content_key
               from assertion o
              where ${ofClaim('o')}
                and o.entry_id = v.entry_id
                and ${isStated('o', position)}
              order by case when o.contained_by is null then 0 else 1 end, o.ordinal
              limit 1)`
    const supporters = (isOf: string) => `
             select a.service, a.observed_at, a.priority, a.confidence, a.trust, a.contained_by
               from assertion a
              where ${ofClaim('a')}
                and a.entry_id ${isOf}
                and a.content_key = ${contentKey}
                and ${isStated('a', position)}`
    return `(
         select ${value('s')}
           from (${supporters('= v.entry_id')}
              union all ${supporters('is null')}) s
          order by case when s.contained_by is null then 0 else 1 end,
                   case when ${rankOf('s.trust')} >= v.trust then 0 else 1 end,
                   s.priority desc, s.observed_at desc, s.confidence desc,
                   ${dialect.byCharacters(`coalesce(s.service, '')`)}
          limit 1)`
  }

  const texts: Readonly<Record<Exclude<TextField, 'tag'>, (position: string) => string>> = {
    category: () => `coalesce(${dialect.textMember('v.classification', 'category')}, 'fact')`,
    // No service is the empty text: it says that a client stated the content.
    writer: (position) =>
      `coalesce(${best((a) => `coalesce(${a}.service, '')`, position)}, ${dialect.textMember('v.origin', 'service')})`,
    agent: () => dialect.textMember('v.origin', 'agentId'),
    subject: () => 'v.subject',
  }
  const numbers: Readonly<Record<NumberField, (position: string) => string>> = {
    created: () => 'v.created_at',
    observed: (position) =>
      `coalesce(${best((a) => `${a}.observed_at`, position)}, ${dialect.numberMember('v.classification', 'observedAt')}, v.created_at)`,
    confidence: () => `coalesce(${dialect.numberMember('v.classification', 'confidence')}, 1)`,
    importance: () => `coalesce(${dialect.numberMember('v.classification', 'importance')}, 5)`,
    trust: () => 'v.trust',
  }
  const signs = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

  const within = (expression: string, bounds: Bounds, give: Give) =>
    Object.entries(bounds).map(
      ([name, bound]) => `${expression} ${signs[name as keyof Bounds]} ${dialect.number(give(bound))}`,
    )

  function ofMetadata(values: readonly Scalar[] | undefined, bounds: Bounds | undefined, give: Give): string {
    if (bounds !== undefined) return whenNumber(within(dialect.memberNumber, bounds, give).join(' and '))
    const wanted = values ?? []
    const strings = wanted.filter((value) => typeof value === 'string')
    const numeric = wanted.filter((value) => typeof value === 'number')
    const any = [
      ...(['true', 'false', 'null'] as const)
        .filter((name) => wanted.some((value) => String(value) === name && typeof value !== 'string'))
        .map((name) => dialect.isMember(name)),
      ...(strings.length === 0
        ? []
        : [`(${dialect.isMember('text')} and ${dialect.isTextAmong(dialect.memberText, give(strings))})`]),
      ...(numeric.length === 0 ? [] : [whenNumber(dialect.isNumberAmong(dialect.memberNumber, give(numeric)))]),
    ]
    return any.length === 0 ? 'false' : `(${any.join(' or ')})`
  }

  /** A case: a database may evaluate the parts of a conjunction in any order, and a text is no number. */
  const whenNumber = (condition: string) => `case when ${dialect.isMember('number')} then ${condition} else false end`

  return function filterSql(filter: EntryFilter, at: number, give: Give): string {
    const position = () => dialect.position(give(at))
    switch (filter.kind) {
      case 'and':
      case 'or':
        return `(${filter.of.map((one) => filterSql(one, at, give)).join(` ${filter.kind} `)})`
      case 'not':
        return `(not ${filterSql(filter.of, at, give)})`
      case 'text':
        if (filter.field === 'tag')
          return `exists (select 1 from ${dialect.tagsOf('v.tags')} where ${dialect.isTextAmong('x.value', give(filter.in))})`
        return `coalesce(${dialect.isTextAmong(texts[filter.field](readsBest(filter.field) ? position() : ''), give(filter.in))}, false)`
      case 'number': {
        const expression = numbers[filter.field](readsBest(filter.field) ? position() : '')
        const all = within(expression, filter.bounds ?? {}, give)
        if (filter.in !== undefined) all.push(dialect.isNumberAmong(expression, give(filter.in)))
        return `(${all.join(' and ')})`
      }
      case 'metadata':
        return `exists (
               select 1
                 from source_event e, ${dialect.membersOf('e.metadata')}
                where e.tenant_id = ${dialect.tenant}
                  and e.source_event_id = ${dialect.textMember('v.origin', 'sourceEventId')}
                  and e.job_id <> ''
                  and m.key = ${dialect.text(give(filter.key))}
                  and ${ofMetadata(filter.in, filter.bounds, give)})`
    }
  }
}
