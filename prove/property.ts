import type { Place } from './place.ts'
import type { Product, PropertyId, Session } from './product.ts'

/**
 * One number. A duty counts what must exist (all of it); a breach counts what must not exist (none). Both are needed: a
 * store that keeps nothing breaks nothing. A fact is reported beside them and not judged.
 */
export type Figure = {
  readonly kind: 'duty' | 'breach' | 'fact'
  readonly what: string
  readonly count: number
  readonly of: number
  /** The names of the items that failed. */
  readonly where: readonly string[]
}

export const duty = (what: string, count: number, of: number, where: readonly string[] = []): Figure => ({
  kind: 'duty',
  what,
  count,
  of,
  where,
})
export const breach = (what: string, count: number, of: number, where: readonly string[] = []): Figure => ({
  kind: 'breach',
  what,
  count,
  of,
  where,
})

export const fact = (what: string, count: number, of: number): Figure => ({ kind: 'fact', what, count, of, where: [] })

/** A figure about nothing proves nothing. */
export function isKept({ kind, count, of }: Figure): boolean {
  return kind === 'fact' || (of > 0 && count === (kind === 'duty' ? of : 0))
}

/** What a property is measured on: a running product, where it keeps its data, and seeded random numbers. */
export type Trial = {
  readonly product: Product
  readonly place: Place
  readonly session: Session
  readonly seed: number
  /** Smaller in `npm test`, larger in `npm run prove`; what is measured is the same. */
  readonly scale: number
  /** What a property does to a session that it opens itself: nothing, or the fault of its control. */
  plant(session: Session): Session
}

export type Property = {
  readonly id: PropertyId
  readonly title: string
  /** One sentence: what is done and what is counted. */
  readonly measured: string
  /** Optional calls of a session without which there is nothing to measure. */
  readonly needs: readonly (keyof Session)[]
  /** Whether it ends processes or files that other properties need. */
  readonly needsOwnPlace?: boolean
  measure(trial: Trial): Promise<readonly Figure[]>
  /** The positive control: the same product with a fault, which the figures must show. */
  readonly control: {
    readonly fault: string
    /** The figures that must not be kept then. */
    readonly shows: readonly string[]
    plant(session: Session): Session
  }
}

/** A session with some calls replaced. */
export function withFault(session: Session, fault: Partial<Session>): Session {
  return new Proxy(session, {
    get: (target, name) => {
      const own = fault[name as keyof Session]
      if (own !== undefined) return own
      const value = Reflect.get(target, name) as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** A call that the session must have, because the property declared that it needs it. */
export function required<Name extends keyof Session>(session: Session, name: Name): NonNullable<Session[Name]> {
  const call = session[name]
  if (call === undefined) throw new Error(`The adapter lacks ${name}.`)
  return call.bind(session) as NonNullable<Session[Name]>
}
