import { sha256 } from '../audit/digest.ts'
import { canonicalJson } from '../canonical.ts'

type SemanticRequest = {
  readonly provider: string
  readonly model: string
  readonly request: {
    readonly messages: readonly unknown[]
    readonly tools?: readonly { readonly name: string }[]
  } & Readonly<Record<string, unknown>>
}

/**
 * What a request to a model means, as one hash (RFC 0150): the same for the same provider, model, messages and options, whatever run
 * sends it. Tools are in order of name, and absent members are left out.
 */
export function semanticRequestKey({ provider, model, request }: SemanticRequest): string {
  const { tools, ...rest } = request
  const byName = tools?.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  const present = Object.entries({ ...rest, tools: byName?.length ? byName : undefined }).filter(
    ([, value]) => value !== undefined,
  )
  const recipe = 'openwop-semantic-request-v2'
  return sha256(canonicalJson({ recipe, provider, model, request: Object.fromEntries(present) }))
}
