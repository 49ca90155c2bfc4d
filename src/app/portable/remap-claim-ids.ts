import type { Readers } from '../../core/entries/readers.ts'
import { firstAssertion, parseUnkeyedClaimName } from '../../core/portable/claim-names.ts'
import type { LineOf, PortableLine } from '../../core/portable/import-line.ts'
import { readersOfMessage, type SourceEventRecord } from '../../core/provenance/source-event.ts'
import { claimIdOf, contentKeyOf, keylessIdentity } from '../provenance/plan-claims.ts'
import type { Tenant } from '../tenant.ts'
import type { TenantContext } from '../tenant-context.ts'

/**
 * Replaces the ids of claims and contents by those of this tenant. They are derived as for an ingested assertion, so the next assertion
 * about the same slot joins the imported claim. The ids in the file cannot be used: another tenant derived them with its own key, or
 * they were written by hand.
 */
export async function remapClaimIds(
  tenant: Tenant,
  context: TenantContext,
  lines: readonly PortableLine[],
  base: number,
): Promise<readonly PortableLine[]> {
  const names = new ClaimNames(tenant, context, lines, base)
  const own: PortableLine[] = []
  // In a file, claims come before the versions that name them.
  for (const line of lines) {
    if (line.type === 'claim') own.push(await names.ofClaim(line))
    else if (line.type === 'version') own.push(await names.ofVersion(line))
    else own.push(line)
  }
  return own
}

class ClaimNames {
  readonly #tenant: Tenant
  readonly #context: TenantContext
  readonly #base: number
  readonly #events: ReadonlyMap<string, LineOf<'sourceEvent'>>
  /** Events of earlier parts, each read once. */
  readonly #storedEvents = new Map<string, Promise<SourceEventRecord | null>>()
  /** The claims of these lines, by their id in the file. */
  readonly #ids = new Map<string, string>()
  readonly #taken = new Set<string>()

  constructor(tenant: Tenant, context: TenantContext, lines: readonly PortableLine[], base: number) {
    this.#tenant = tenant
    this.#context = context
    this.#base = base
    this.#events = new Map(lines.flatMap((line) => (line.type === 'sourceEvent' ? [[line.sourceEventId, line]] : [])))
  }

  async ofClaim(line: LineOf<'claim'>): Promise<LineOf<'claim'>> {
    const claimId = line.claimKey === null ? await this.#idWithoutKey(line) : this.#idOf(line, '')
    this.#ids.set(line.claimId, claimId)
    this.#taken.add(claimId)
    const keys = await this.#contentKeys(line)
    const keyOf = (contentKey: string) => keys.get(contentKey) ?? contentKey
    const { pin } = line
    const assertions = line.assertions.map((item) => ({ ...item, contentKey: keyOf(item.contentKey) }))
    return { ...line, claimId, assertions, pin: pin && { ...pin, contentKey: keyOf(pin.contentKey) } }
  }

  async ofVersion(line: LineOf<'version'>): Promise<LineOf<'version'>> {
    const { classification, subject } = line
    const named = classification?.claimId ?? null
    if (classification === null || named === null) return line
    const { category, claimKey } = classification
    const known =
      claimKey === null
        ? (this.#ids.get(named) ?? (await this.#stored(line, named)))
        : this.#idOf({ subject: subject ?? '', category, claimKey }, '')
    // A live version of an unknown claim keeps the id, and is refused by it later. An ended one gets no claim.
    const claimId = known ?? (line.endedPosition === null ? named : null)
    return { ...line, classification: { ...classification, claimId } }
  }

  #idOf(slot: Pick<LineOf<'claim'>, 'subject' | 'category' | 'claimKey'>, keyless: string): string {
    return claimIdOf(this.#context.digest, slot, keyless)
  }

  /** The id of a claim without a key is derived from its first assertion. */
  async #idWithoutKey(line: LineOf<'claim'>): Promise<string> {
    const first = firstAssertion(line.assertions)
    if (first === undefined) return this.#idOf(line, `name:${line.claimId}`)
    const { id, storage } = this.#tenant
    const { sourceEventId, candidate: index } = first
    const event = await this.#event(sourceEventId)
    const readers = await this.#readersOf(first)
    const [content = ''] = await this.#clean([first.content])
    const verbatimId = this.#idOf(line, keylessIdentity({ infer: false, sourceEventId }, { content, index, readers }))
    if (!event?.infer || content === '') return verbatimId
    const stated = await storage.provenance.assertionsOfEvent(id, sourceEventId)
    const stored = stated.find(({ candidate }) => candidate === index)
    // The assertion is stored already.
    if (stored !== undefined) return stored.claimId
    const claimId = this.#idOf(line, keylessIdentity({ infer: true, sourceEventId }, { content, index, readers }))
    // Two contents that differ only in a secret are equal after redaction. They stay two claims.
    return (await this.#isTakenByThisFile(claimId)) ? verbatimId : claimId
  }

  async #event(sourceEventId: string) {
    const { id, storage } = this.#tenant
    const known = this.#events.get(sourceEventId)
    if (known !== undefined) return known
    const read = this.#storedEvents.get(sourceEventId) ?? storage.provenance.sourceEvent(id, sourceEventId)
    this.#storedEvents.set(sourceEventId, read)
    return read
  }

  /** The readers to whom an assertion was stated. Each candidate of a verbatim event is one message. */
  async #readersOf({ sourceEventId, candidate }: LineOf<'claim'>['assertions'][number]): Promise<Readers> {
    const event = await this.#event(sourceEventId)
    if (event === null) return null
    return event.infer ? event.readers : readersOfMessage(event, event.messages?.[candidate])
  }

  async #isTakenByThisFile(claimId: string): Promise<boolean> {
    if (this.#taken.has(claimId)) return true
    const claim = await this.#tenant.storage.provenance.claim(this.#tenant.id, claimId)
    return claim !== null && claim.updatedPosition > this.#base
  }

  /** The stored claim of a version that came with an earlier part. Files of older program versions name only the source event. */
  async #stored({ entryId, classification }: LineOf<'version'>, named: string): Promise<string | null> {
    const first = parseUnkeyedClaimName(named)
    const sourceEventId = first?.sourceEventId ?? classification?.sourceEventId ?? null
    if (sourceEventId === null) return null
    const stated = await this.#tenant.storage.provenance.assertionsOfEvent(this.#tenant.id, sourceEventId)
    const found = stated.find((item) =>
      first === null ? item.entryId === entryId : item.candidate === first.candidate,
    )
    return found?.claimId ?? null
  }

  /** The content keys of this tenant. Two contents of the file stay two, even if redaction makes them equal. */
  async #contentKeys({ assertions }: LineOf<'claim'>): Promise<ReadonlyMap<string, string>> {
    const cleaned = await this.#clean(assertions.map(({ content }) => content))
    const keys = new Map<string, string>()
    const used = new Set<string>()
    for (const [at, assertion] of assertions.entries()) {
      const { contentKey, content } = assertion
      // A forgotten content is empty: no key can be derived from it.
      if (keys.has(contentKey) || content === '') continue
      const own = contentKeyOf(this.#context.digest, cleaned[at] ?? '', await this.#readersOf(assertion))
      keys.set(contentKey, used.has(own) ? contentKey : own)
      used.add(own)
    }
    return keys
  }

  async #clean(contents: readonly string[]): Promise<readonly string[]> {
    return this.#context.redaction.redact(({ scan }) => contents.map((content) => scan(content, () => {})))
  }
}
