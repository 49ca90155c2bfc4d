import type { TestServer } from './server.ts'

/** The paths of both OpenAPI documents: of version 2 of the protocol, and of everything else. Discovery is in both. */
export async function describedPaths<Operation>(server: TestServer): Promise<[string, Record<string, Operation>][]> {
  const documents = await Promise.all(['/v1/openapi.json', '/openapi.json'].map((path) => server.as(null)('GET', path)))
  return Object.entries(Object.assign({}, ...documents.map(({ body }) => body.paths)))
}
