# Rules, places, verdicts and findings: the one model that every analysis fills and the report shows.
ls_layer(finding base)
