import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from './route-context.ts'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

type Asset = { readonly type: string; readonly plain: Buffer; brotli?: Buffer }

const notBuilt = '<!doctype html><title>Colophon</title><p>The console is not built. Run: npm run build'

/** The content security policy of the console. It shows texts of others, so scripts and connections are limited to this server. */
function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
}

/**
 * Serves the console: one page and its assets. The files are read once and looked up by their exact name, so no path can reach another
 * file.
 */
export function consoleRoutes(app: App, folder: string): void {
  // Loaded on the first request: commands that use this server in their own process never make one.
  let loaded: Map<string, Asset> | undefined
  const assets = () => {
    loaded ??= loadAssets(folder)
    return loaded
  }
  const options = { config: { access: 'public' }, schema: { hide: true } } as const

  const sendPage = (_request: FastifyRequest, reply: FastifyReply) => {
    const page = assets().get('index.html')?.plain.toString('utf8') ?? notBuilt
    const nonce = randomBytes(16).toString('base64')
    return reply
      .header('content-security-policy', pagePolicy(nonce))
      .type('text/html; charset=utf-8')
      .send(page.replace('__STYLE_NONCE__', nonce))
  }

  app.get('/', options, sendPage)
  app.get('/console', options, sendPage)
  app.get<{ Params: { '*': string } }>('/console/*', options, (request, reply) => {
    const asset = assets().get(request.params['*'])
    if (asset === undefined || request.params['*'] === 'index.html') return sendPage(request, reply)
    // Names of built files contain a hash of their content, so they may be cached forever.
    const caching = request.params['*'].startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
    reply.type(asset.type).header('cache-control', caching).header('vary', 'accept-encoding')
    if (!/\bbr\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(asset.plain)
    asset.brotli ??= brotliCompressSync(asset.plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
    return reply.header('content-encoding', 'br').send(asset.brotli)
  })
}

function loadAssets(folder: string): Map<string, Asset> {
  if (!existsSync(folder)) return new Map()
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    files.flatMap((file) => {
      const path = join(file.parentPath, file.name)
      const type = types[extname(file.name)]
      return type === undefined
        ? []
        : [[relative(folder, path).replaceAll('\\', '/'), { type, plain: readFileSync(path) }]]
    }),
  )
}
