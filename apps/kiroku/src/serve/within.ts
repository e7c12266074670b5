/** What a promise resolves to; when it takes longer than `ms`, something else. Errors: those of the promise, in time. */
export const within = <A>(promise: Promise<A>, ms: number, otherwise: () => A): Promise<A> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(otherwise()), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
