// Starts a server and prints what it has loaded then, and after a request for the OpenAPI document.
import { packages } from './loaded-packages.ts'

const [{ createServer }, { loadConfig }] = await Promise.all([
  import('../../src/server/serve.ts'),
  import('../../src/config/config.ts'),
])
const server = await createServer({ config: loadConfig(process.env) })
const loaded = async (url: string) => {
  const { statusCode } = await server.app.inject({ url })
  const { moduleLoadList } = process as unknown as { moduleLoadList: string[] }
  return { statusCode, packages: [...packages], hasFetch: moduleLoadList.some((name) => name.includes('undici')) }
}
const started = await loaded('/healthz')
console.log(JSON.stringify({ started, described: await loaded('/v1/openapi.json') }))
await server.close()
