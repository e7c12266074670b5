import type { LoadProcess } from '../LoadProcess.ts'
import type { Progress } from '../Progress.ts'
import type { HttpLoad } from '../load/httpLoad.ts'
import type { KirokuLoad } from '../load/kirokuLoad.ts'
import type { RawLoad } from '../load/rawLoad.ts'
import type { Sizes } from './sizes.ts'

/** The processes that bear the load, over one server. */
export interface Bench {
  readonly sizes: Sizes
  readonly progress: Progress
  readonly producer: LoadProcess<KirokuLoad>
  readonly consumer: LoadProcess<KirokuLoad>
  readonly http: LoadProcess<HttpLoad>
  readonly rawProducer: LoadProcess<RawLoad>
  readonly rawConsumer: LoadProcess<RawLoad>
}
