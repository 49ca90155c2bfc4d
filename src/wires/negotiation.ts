import type { FastifyRequest } from 'fastify'
import { placeIn } from '../http/error-response.ts'
import type { App } from '../http/route-context.ts'
import { WireError } from '../http/wire-error.ts'

/** Every version of OpenWOP that this host speaks. While a 1.x is among them, it is the preferred one. */
export const protocolVersions = ['1.0', '2.0'] as const
export type ProtocolVersion = (typeof protocolVersions)[number]
export const preferredVersion: ProtocolVersion = '1.0'

/** Where a path is in the protocol: an operation of version 1 or 2, or the discovery document, which both have. */
export type ProtocolPlace = 'v1' | 'v2' | 'discovery'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Where the route is in the protocol; absent outside of it. */
    place?: ProtocolPlace | null
  }
}

const placeV1 = /^\/v1\/(?:(?:runs|workflows|interrupts|webhooks|agents|audit)(?=[/?:]|$)|openapi\.json(?=[/?]|$))/
const placeV2 =
  /^\/(?:(?:runs|workflows|interrupts|webhooks|agents|audit|prompts|tools|content|trigger-subscriptions)(?=[/?:]|$)|host\/(?:effect-seams|events)(?=[/?]|$)|openapi\.json(?=[/?]|$))/
const placeOfDiscovery = /^\/\.well-known\/openwop(?=[/?]|$)/

/** Null for paths of the host extension, of the provenance API and of web pages: they have no version of the protocol. */
export function placeOf(path: string): ProtocolPlace | null {
  if (path.startsWith('/v1/')) return placeV1.test(path) ? 'v1' : null
  if (placeOfDiscovery.test(path)) return 'discovery'
  return placeV2.test(path) ? 'v2' : null
}

export type Negotiated = {
  /** The version of the response. */
  readonly version: ProtocolVersion
  /** Why there is no other response. */
  readonly refusal?: WireError
}

/** Without a header: on version 1 paths version 1, for discovery the preferred version, otherwise version 2. */
const versionAt: Readonly<Record<ProtocolPlace, ProtocolVersion>> = {
  v1: '1.0',
  v2: '2.0',
  discovery: preferredVersion,
}

/** Decides the version of a response. Only the major version of the header counts: `2` and `2.7` are both answered with 2.0. */
export function negotiate(place: ProtocolPlace, header: string | string[] | undefined): Negotiated {
  const version = versionAt[place]
  if (header === undefined) return { version }
  const major = /^(0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8}))?$/.exec(String(header))?.[1]
  if (major === undefined)
    return place === 'v1' ? { version, refusal: mismatch() } : { version, refusal: malformedVersion() }
  const chosen = protocolVersions.find((one) => one.split('.')[0] === major)
  if (chosen === undefined) return { version, refusal: unsupported() }
  if (place === 'discovery' || chosen === version) return { version: chosen }
  return { version: chosen, refusal: place === 'v1' ? mismatch() : pathOfV2() }
}

const field = 'OpenWOP-Version'

function malformedVersion(): WireError {
  const hint = 'Send a version such as 2 or 2.0, or omit the header.'
  return new WireError(400, 'validation_error', `${field} must be MAJOR or MAJOR.MINOR.`, { field, hint })
}

function unsupported(): WireError {
  const hint = 'Send one of details.protocolVersions, or omit the header.'
  const message = 'This host does not speak this version of the protocol.'
  return new WireError(406, 'protocol_version_unsupported', message, { field, protocolVersions, hint })
}

function mismatch(): WireError {
  const hint = 'Paths that begin with /v1 are version 1. Omit the header, or use the path without /v1.'
  return new WireError(400, 'protocol_version_mismatch', 'The header and the path name different versions.', {
    field,
    protocolVersions,
    hint,
  })
}

function pathOfV2(): WireError {
  const hint = 'In version 1 this path begins with /v1. For version 2, send OpenWOP-Version: 2 or no header.'
  return new WireError(404, 'not_found', 'Version 1 has nothing at this path.', { field, hint })
}

/** The header that says which version a response has; none outside of the protocol. */
export function versionHeader(request: FastifyRequest): Record<string, string> {
  const place = placeOf(placeIn(request))
  return place === null ? {} : { 'openwop-version': negotiate(place, request.headers['openwop-version']).version }
}

/** Negotiates the version of every request of the protocol, before the caller is authenticated. */
export function negotiateVersions(app: App): void {
  app.addHook('onRoute', (route) => {
    // Once per route, so that a request costs a comparison.
    route.config = { ...route.config, place: placeOf(route.url) }
  })
  app.addHook('onRequest', (request, reply, done) => {
    const { place = null } = request.is404 ? { place: placeOf(request.url) } : request.routeOptions.config
    if (place === null) return done()
    const { version, refusal } = negotiate(place, request.headers['openwop-version'])
    reply.header('openwop-version', version)
    done(refusal)
  })
}
