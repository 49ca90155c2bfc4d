import { createPlace, type Databases, type Place } from './place.ts'
import type { Product, Session } from './product.ts'
import { type Figure, isKept, type Property } from './property.ts'

/** The result of one property on one product. */
export type Outcome =
  | { readonly kind: 'measured'; readonly figures: readonly Figure[]; readonly ms: number }
  | { readonly kind: 'not offered' | 'not run' | 'failed'; readonly reason: string }

export type Result = { readonly product: Product; readonly property: Property; readonly outcome: Outcome }

export type Options = {
  readonly seed: number
  readonly scale: number
  readonly databases: Databases | null
  /** Runs the properties on the product with a fault in it. */
  readonly isControl?: boolean
  readonly onResult?: (result: Result) => void
}

export function isPerfect(outcome: Outcome): boolean {
  return outcome.kind === 'measured' && outcome.figures.length > 0 && outcome.figures.every(isKept)
}

/** Whether the fault of a control is seen in this figure. */
export function isNoticed(outcome: Outcome, what: string): boolean {
  return outcome.kind === 'measured' && outcome.figures.some((figure) => figure.what === what && !isKept(figure))
}

/** One product, opened when it is first needed. */
class Stage {
  readonly #product: Product
  readonly #databases: Databases | null
  #open: { readonly place: Place; readonly session: Session } | null = null

  constructor(product: Product, databases: Databases | null) {
    this.#product = product
    this.#databases = product.needsPostgres ? databases : null
  }

  async set(): Promise<{ readonly place: Place; readonly session: Session }> {
    if (this.#open === null) {
      const place = await createPlace(this.#databases)
      this.#open = { place, session: await this.#product.open(place) }
    }
    return this.#open
  }

  async clear(): Promise<void> {
    const open = this.#open
    this.#open = null
    await open?.session.stop()
    await open?.place.remove()
  }
}

/** Why a product cannot be measured here at all, if so. */
function obstacle(product: Product, databases: Databases | null): string | null {
  try {
    product.version()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return product.needsPostgres && databases === null ? 'there is no PostgreSQL' : null
}

export async function prove(
  product: Product,
  properties: readonly Property[],
  options: Options,
): Promise<readonly Result[]> {
  const { databases, seed, scale, isControl = false, onResult } = options
  const results: Result[] = []
  const missing = obstacle(product, databases)
  const shared = new Stage(product, databases)
  async function measure(property: Property): Promise<Outcome> {
    const reason = product.notOffered[property.id]
    if (missing !== null) return { kind: 'not run', reason: missing }
    if (reason !== undefined) return { kind: 'not offered', reason }
    const stage = property.needsOwnPlace ? new Stage(product, databases) : shared
    const started = performance.now()
    try {
      const { place, session } = await stage.set()
      const lacking = property.needs.filter((name) => session[name] === undefined)
      if (lacking.length > 0) return { kind: 'not run', reason: `the adapter lacks ${lacking.join(', ')}` }
      const plant = isControl ? property.control.plant : (same: Session) => same
      const figures = await property.measure({ product, place, session: plant(session), seed, scale, plant })
      return { kind: 'measured', figures, ms: performance.now() - started }
    } catch (error) {
      return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) }
    } finally {
      if (stage !== shared) await stage.clear()
    }
  }
  try {
    for (const property of properties) {
      const outcome = await measure(property)
      const result = { product, property, outcome }
      results.push(result)
      onResult?.(result)
    }
  } finally {
    await shared.clear()
  }
  return results
}
