import { canonicalJson } from '../canonical.ts'

type SemanticRequest = {
  readonly provider: string
  readonly model: string
  readonly request: {
    readonly messages: readonly unknown[]
    readonly tools?: readonly { readonly name: string }[] | undefined
  } & Readonly<Record<string, unknown>>
  readonly providerOptions?: Readonly<Record<string, unknown>> | undefined
}

/**
 * What a request to a model means, as one hash (RFC 0150): the same for the same provider, model, messages and options, whatever run
 * of the tenant sends it. Tools are in order of name, and absent members are left out. In a run the digest has the tenant's key: the hash
 * outlives a forget, and without a key a forgotten prompt could be guessed by hashing candidates.
 */
export function semanticRequestKey(
  { provider, model, request, providerOptions }: SemanticRequest,
  digest: (text: string) => string,
): string {
  const { tools, ...rest } = request
  const byName = tools?.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  const present = Object.entries({ ...rest, tools: byName?.length ? byName : undefined }).filter(
    ([, value]) => value !== undefined,
  )
  const recipe = 'openwop-semantic-request-v2'
  const options = providerOptions === undefined ? {} : { providerOptions }
  return digest(canonicalJson({ recipe, provider, model, request: Object.fromEntries(present), ...options }))
}
