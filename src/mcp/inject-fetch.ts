type Injected = { readonly statusCode: number; readonly headers: object; readonly body: string }

/** What of an HTTP server is needed to ask it without a connection. */
export type InProcess = {
  inject(request: {
    method: 'GET'
    url: string
    headers: Record<string, string>
    payload?: string
  }): PromiseLike<Injected>
}

/** A fetch that asks a server in this very process: the same routes, guards and answers, and no network. */
export function fetchFrom(server: InProcess): typeof fetch {
  const ask = async (url: string, { method = 'GET', headers, body }: RequestInit): Promise<Response> => {
    const {
      statusCode,
      headers: answered,
      body: payload,
    } = await server.inject({
      method: method as 'GET',
      url,
      headers: headers as Record<string, string>,
      ...(typeof body === 'string' ? { payload: body } : {}),
    })
    const shown = Object.entries(answered).map(([name, value]) => [name, String(value)] as [string, string])
    return new Response(payload === '' ? null : payload, { status: statusCode, headers: shown })
  }
  return ask as typeof fetch
}
