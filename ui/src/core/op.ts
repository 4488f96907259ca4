// An operation of the server: its method and path, and what it takes and gives, for the compiler.
export interface Op<Takes, Gives> {
    method: string;
    path: string;
    /** Never set: carries the types. */
    takes?: Takes;
    gives?: Gives;
}

export type Takes<O> = O extends Op<infer T, unknown> ? T : never;
export type Gives<O> = O extends Op<never, infer G> ? G : O extends { gives?: infer G } ? NonNullable<G> : never;

export function op<T, G>(method: string, path: string): Op<T, G> {
    return { method, path };
}
