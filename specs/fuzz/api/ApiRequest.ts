/** A request to the HTTP API; `body` as text, since many odd inputs have no JavaScript value. */
export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly body?: string
}
