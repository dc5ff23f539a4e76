# Dominators, loops, sort order and predication of any graph.
ls_layer(graph base)
